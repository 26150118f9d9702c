import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { bootstrapDatabase, databaseUrl } from "@/db/bootstrap";
import { closeDb, type Db, openDb } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { type RunningPostgres, startPostgres } from "@/db/testing/embedded-postgres";
import { openTempFolder } from "@/db/testing/postgres-binaries";
import { testPasswords } from "@/db/testing/template-database";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import type { LogRecord } from "@/server/domain/event-log/port";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { processBatch } from "./process-batch";
import { effectConsumer, insertTestScope, makeEffectsTable, sampleRecord, testControl, testRuntime } from "./testing";

// A server of its own, with fsync, that is really ended at once and started again. Its WAL writer sleeps for 10 s, so that what did not wait for the disk is
// gone; should it be there all the same, the outcome must be the same.

const base = mkdtempSync(path.join(openTempFolder(), "crash-"));
chmodSync(base, 0o755); // as root the server runs as another user
const data = { dir: path.join(base, "data"), durable: true };
let server: RunningPostgres;
let superuser: Db;
let worker: Db;
beforeAll(async () => {
  server = await startPostgres(data);
  const urls = await bootstrapDatabase(server.superuserUrl, "crash", testPasswords);
  await migrateDatabase(urls.migrator);
  superuser = openDb(databaseUrl(server.superuserUrl, { database: "crash" }), { max: 2, applicationName: "test" });
  worker = openDb(urls.worker, { max: 4, applicationName: "test" });
  await makeEffectsTable(superuser);
  await superuser.$client`alter system set wal_writer_delay = '10s'`;
  await superuser.$client`select pg_reload_conf()`;
}, 120_000);
afterEach(clearTestPoints);
afterAll(async () => {
  await Promise.all([closeDb(superuser, 1), closeDb(worker, 1)]);
  await server.stop(0);
  rmSync(base, { recursive: true, force: true });
});

it.each([
  ["one event", 1],
  ["a batch", 4],
])(
  "a crash of the database server between claim and effect loses nothing, whether the claim was on disk or not: %s",
  async (_, count) => {
    const scope = await insertTestScope(superuser);
    const log = new MemoryLog();
    const records = Array.from({ length: count }, () => sampleRecord(scope, newUuid(), 1));
    const positions = await log.publish("appointment.v1", records);
    const read = positions.map(({ partition, offset }) => log.partition("appointment.v1", partition)[Number(offset)] as LogRecord);
    let crashes = 0;
    setTestPoint("inbox.afterClaim", async () => {
      if (crashes++ > 0) return;
      await server.stop(0);
      server = await startPostgres({ ...data, port: server.port });
    });
    const counts = await processBatch(testRuntime(worker), effectConsumer(), read, testControl());
    expect(counts).toMatchObject({ processed: count, fenced: 0 });
    const ids = records.map((record) => record.headers.ce_id as string);
    const rows = await superuser.$client`
    select i.state, (select count(*)::int from test_effects e where e.event_id = i.event_id) as effects
    from inbox i where i.event_id = any (${ids}::uuid[])`;
    expect([...rows]).toEqual(Array(count).fill({ state: "PROCESSED", effects: 1 }));
  },
  120_000,
);
