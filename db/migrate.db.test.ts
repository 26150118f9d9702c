import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { bootstrapDatabase } from "./bootstrap";
import { closeDb, openDb } from "./client";
import { assertMigrated, migrateDatabase } from "./migrate";
import { testPasswords } from "./testing/template-database";
import { createTestDatabase, type TestDatabase } from "./testing/test-database";

const folder = path.join(process.cwd(), "db/migrations");
const { superuserUrl } = inject("postgres");
let copied: string;
let whole: TestDatabase;
let made = 0;

beforeAll(async () => {
  copied = mkdtempSync(path.join(tmpdir(), "migrations-"));
  cpSync(folder, copied, { recursive: true });
  whole = await createTestDatabase();
});
afterAll(async () => {
  rmSync(copied, { recursive: true, force: true });
  await whole.close();
});

/** A database that has its owner and nothing in it. */
async function emptyDatabase(): Promise<string> {
  const { migrator } = await bootstrapDatabase(superuserUrl, `migrate_${process.pid}_${++made}`, testPasswords);
  return migrator;
}

describe("the migrator", () => {
  it("five that start at once: one does the work, the others find it done", async () => {
    const url = await emptyDatabase();
    const ran = await Promise.all([1, 2, 3, 4, 5].map(() => migrateDatabase(url)));
    expect(ran.filter((count) => count > 0)).toHaveLength(1);
    const db = openDb(url, { max: 1 });
    await assertMigrated(db);
    await closeDb(db);
  });

  it("a migration that was changed after it ran is refused, and nothing is done", async () => {
    const url = await emptyDatabase();
    await migrateDatabase(url);
    const file = path.join(copied, "0001_guards.sql");
    writeFileSync(file, `${readFileSync(file, "utf8")}\ncreate table never_made (id int);\n`);
    await expect(migrateDatabase(url, copied)).rejects.toThrow("it was changed after it ran");
    const client = postgres(url, { max: 1 });
    expect(await client`select to_regclass('never_made') as found`).toMatchObject([{ found: null }]);
    await client.end({ timeout: 1 });
  });

  it("a process refuses tables of another version, older or newer", async () => {
    const db = whole.web;
    await assertMigrated(db);
    const [last] = await whole.migrator.$client`delete from migrations where position = (select max(position) from migrations) returning *`;
    await expect(assertMigrated(db)).rejects.toThrow("run npm run db:migrate");
    await whole.migrator
      .$client`insert into migrations (position, hash) values (${last?.position}, ${last?.hash}), (${last?.position + 1}, 'of a later version')`;
    await expect(assertMigrated(db)).rejects.toThrow("this version has");
  });
});
