import path from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import postgres from "postgres";
import type { Db } from "./client";
import { migrationHashes } from "./migration-hashes";

/** Any constant: it names "the migrator" among this database's advisory locks. */
const migratorLock = 7_310_225;

/**
 * Brings the database to this version, one migrator at a time (session advisory lock on a connection of its own).
 * Compares the whole set of hashes, not only the last: a changed, missing or unknown migration ends with a message and changes nothing.
 * Returns how many migrations were run.
 */
export async function migrateDatabase(migratorUrl: string, folder = path.join(process.cwd(), "db/migrations")): Promise<number> {
  const files = readMigrationFiles({ migrationsFolder: folder });
  const client = postgres(migratorUrl, { max: 1, onnotice: () => {} });
  try {
    await client`select pg_advisory_lock(${migratorLock})`;
    await client`create table if not exists migrations (position integer primary key, hash text not null, at timestamptz not null default clock_timestamp())`;
    await client`grant select on migrations to aops_web, aops_worker`;
    const done = await client<{ hash: string }[]>`select hash from migrations order by position`;
    const unknown = done.findIndex((row, i) => row.hash !== files[i]?.hash);
    if (unknown >= 0)
      throw new Error(
        `migration ${unknown} in the database is not the one in ${folder}: it was changed after it ran, or the database is newer than this version`,
      );
    for (const [position, file] of files.entries()) {
      if (position < done.length) continue;
      await client.begin(async (tx) => {
        for (const statement of file.sql) await tx.unsafe(statement);
        await tx`insert into migrations (position, hash) values (${position}, ${file.hash})`;
      });
    }
    return files.length - done.length;
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** What a process does at its start: it refuses to run on another version's tables. Throws with what to do. */
export async function assertMigrated(db: Db): Promise<void> {
  const rows = await db.$client<{ hash: string }[]>`select hash from migrations order by position`;
  const found = rows.map((row) => row.hash);
  if (found.length === migrationHashes.length && found.every((hash, i) => hash === migrationHashes[i])) return;
  throw new Error(
    `the database has ${found.length} migrations, this version has ${migrationHashes.length} (or others): run npm run db:migrate`,
  );
}
