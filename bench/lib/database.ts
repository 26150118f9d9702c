import postgres from "postgres";
import { bootstrapDatabase, databaseUrl, type RoleUrls } from "@/db/bootstrap";
import { closeDb, type Db, openDb } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import type { RunningPostgres } from "@/db/testing/embedded-postgres";
import type { Secrets } from "@/scripts/lib/secrets";

export type BenchDatabase = {
  name: string;
  urls: RoleUrls & { superuser: string };
  /** The product's own handles, pools of 10 as in production. */
  web: Db;
  worker: Db;
  /** Its policy asks nothing: for seeds and for the floors that stand beside the product. */
  migrator: Db;
  /** The driver bare, 10 connections, role migrator: what a floor speaks through. */
  bare: postgres.Sql;
  drop: () => Promise<void>;
};

let made = 0;

/** Roles, schema and nothing else, on the given server. */
export async function createBenchDatabase(server: RunningPostgres, secrets: Secrets): Promise<BenchDatabase> {
  made += 1;
  const name = `bench_${made}`;
  const urls = {
    ...(await bootstrapDatabase(server.superuserUrl, name, secrets.passwords)),
    superuser: databaseUrl(server.superuserUrl, { database: name }),
  };
  await migrateDatabase(urls.migrator);
  const open = (url: string) => openDb(url, { max: 10, applicationName: "bench" });
  const [web, worker, migrator] = [open(urls.web), open(urls.worker), open(urls.migrator)];
  const bare = openBare(urls.migrator);
  return {
    name,
    urls,
    web,
    worker,
    migrator,
    bare,
    drop: async () => {
      await Promise.all([...[web, worker, migrator].map((db) => closeDb(db, 1)), bare.end({ timeout: 1 })]);
      const admin = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

/** The product's own driver settings, without its door: both sides speak to the database in the same way. */
export const openBare = (url: string, max = 10): postgres.Sql => openDb(url, { max, applicationName: "bench-floor" }).$client;

/** Row counts of the tables named, by table. */
export async function countRows(sql: postgres.Sql, tables: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const table of tables) {
    const [row] = await sql.unsafe<{ n: number }[]>(`select count(*)::int4 as n from ${table}`);
    counts.set(table, row?.n ?? 0);
  }
  return counts;
}
