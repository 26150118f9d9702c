import postgres from "postgres";

export const databaseRoles = { migrator: "aops_migrator", web: "aops_web", worker: "aops_worker" } as const;
export type RolePasswords = Record<keyof typeof databaseRoles, string>;

/** Extensions that the migrations use: gist over uuid (claims), trigrams (find a patient by part of a name). */
const extensions = ["btree_gist", "pg_trgm"];

/**
 * Makes the three roles, the database and its extensions, as superuser; run once for each cluster and database, harmless when run again.
 * None of the roles is a superuser or bypasses row-level security; the migrator owns the tables, web and worker own nothing.
 * Returns the three roles' URLs of that database.
 */
export async function bootstrapDatabase(superuserUrl: string, database: string, passwords: RolePasswords): Promise<RoleUrls> {
  const cluster = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  try {
    for (const [purpose, role] of Object.entries(databaseRoles)) {
      await cluster.unsafe(
        `do $$ begin create role ${role} login nosuperuser nobypassrls; exception when duplicate_object then null; end $$`,
      );
      await cluster.unsafe(`alter role ${role} password '${passwords[purpose as keyof RolePasswords].replaceAll("'", "''")}'`);
    }
    await cluster.unsafe(`alter role ${databaseRoles.web} set statement_timeout = '10s'`);
    await cluster.unsafe(`alter role ${databaseRoles.worker} set statement_timeout = '30s'`);
    // for vacuum_horizon(): since when other roles' transactions run is hidden from everybody else
    await cluster.unsafe(`grant pg_read_all_stats to ${databaseRoles.migrator}`);
    const [found] = await cluster`select 1 from pg_database where datname = ${database}`;
    if (!found) await cluster.unsafe(`create database "${database}" owner ${databaseRoles.migrator} encoding 'UTF8' template template0`);
  } finally {
    await cluster.end({ timeout: 5 });
  }
  const inside = postgres(databaseUrl(superuserUrl, { database }), { max: 1, onnotice: () => {} });
  try {
    for (const name of extensions) await inside.unsafe(`create extension if not exists ${name}`);
    await inside.unsafe("revoke all on schema public from public");
    await inside.unsafe(`grant usage, create on schema public to ${databaseRoles.migrator}`);
    await inside.unsafe(`grant usage on schema public to ${databaseRoles.web}, ${databaseRoles.worker}`);
  } finally {
    await inside.end({ timeout: 5 });
  }
  return roleUrls(superuserUrl, database, passwords);
}

export type RoleUrls = Record<keyof typeof databaseRoles, string>;

/** The URLs by which the three roles reach a database of this server. */
export function roleUrls(serverUrl: string, database: string, passwords: RolePasswords): RoleUrls {
  const of = (purpose: keyof typeof databaseRoles) =>
    databaseUrl(serverUrl, { database, user: databaseRoles[purpose], password: passwords[purpose] });
  return { migrator: of("migrator"), web: of("web"), worker: of("worker") };
}

/** The same server as `url`, with another database or user. */
export function databaseUrl(url: string, change: { database?: string; user?: string; password?: string }): string {
  const made = new URL(url);
  if (change.database) made.pathname = `/${change.database}`;
  if (change.user) made.username = change.user;
  if (change.password) made.password = encodeURIComponent(change.password);
  return made.toString();
}
