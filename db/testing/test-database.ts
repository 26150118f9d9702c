import postgres from "postgres";
import { inject } from "vitest";
import { databaseUrl, roleUrls } from "@/db/bootstrap";
import { type Db, openDb } from "@/db/client";
import { testPasswords } from "@/db/testing/template-database";

export type TestDatabaseUrls = { web: string; worker: string; migrator: string; superuser: string };
export type TestDatabase = {
  name: string;
  urls: TestDatabaseUrls;
  web: Db;
  worker: Db;
  migrator: Db;
  superuser: Db;
  close: () => Promise<void>;
};

let made = 0;

/**
 * A database of its own for one test file: a copy of the migrated template on the run's throw-away server, with a handle for each database role.
 * `close()` ends the handles and drops it. Call it in `beforeAll` (about 0.1 s); only in the vitest projects that start a server (db, kafka).
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { superuserUrl, template } = inject("postgres");
  made += 1;
  const name = `test_${process.pid}_${made}`;
  const admin = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  await admin.unsafe(`create database ${name} template ${template}`);
  const urls = { ...roleUrls(superuserUrl, name, testPasswords), superuser: databaseUrl(superuserUrl, { database: name }) };
  const open = (url: string) => openDb(url, { max: 8, applicationName: "test", prepare: process.env.DATABASE_PREPARE !== "false" });
  const handles = { web: open(urls.web), worker: open(urls.worker), migrator: open(urls.migrator), superuser: open(urls.superuser) };
  return {
    name,
    urls,
    ...handles,
    close: async () => {
      await Promise.all(Object.values(handles).map((db) => db.$client.end({ timeout: 1 })));
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}
