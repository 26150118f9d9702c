import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import { insertTestScope, type TestScope, testRing } from "@/server/domain/inbox/testing";
import type { WorkerEnv } from "@/server/env";
import { metricsRegistry } from "@/server/metrics";
import { drillRunner } from "./drill-runner";
import { logicalConsumers } from "./logical-consumers";
import { gatherGauges } from "./metrics";
import { WorkerStatus } from "./worker-status";

let db: TestDatabase;
let clinic: TestScope;
beforeAll(async () => {
  db = await createTestDatabase();
  clinic = await insertTestScope(db.superuser);
});
afterAll(() => db.close());

it("carries out what was asked for, and neither its rows nor its work are in the numbers of the metrics page", async () => {
  const page = async () => {
    await gatherGauges(db.worker, new MemoryLog(), logicalConsumers, []);
    return (await metricsRegistry().metrics()).split("\n").filter((line) => /^aops_(inbox|outbox|replay|audit|notification)/.test(line));
  };
  const before = await page();
  await db.superuser.$client`
    insert into drill_runs (tenant_group_id, ref, drill, carried_out, started_by_kind, started_by_ref)
    select ${clinic.tenantGroupId}, 'DR-000001', 'poison-event', 'AUTOMATED', 'person', 'ST-000001'`;
  const stopping = new AbortController();
  const status = new WorkerStatus("drill-runner", "drill-runner:test", systemClock);
  const env = { WORKER_DATABASE_URL: db.urls.worker, DATABASE_PREPARE: true, DIGEST_KEYS: testRing } as WorkerEnv;
  const shared = { db: db.worker, eventLog: new MemoryLog(), env, clock: systemClock, random: Math.random };
  const running = drillRunner({ ...shared, signal: stopping.signal, status });
  const state = async () => (await db.superuser.$client`select state from drill_runs`)[0]?.state;
  while (!["PASSED", "FAILED"].includes(await state())) await sleep(50);
  stopping.abort();
  await running;
  expect(await state()).toBe("PASSED");
  expect(await db.superuser.$client`select count(*)::int4 as n from inbox where state <> 'PROCESSED'`).toEqual([{ n: 2 }]); // stopped, and behind it
  const audit = await db.superuser.$client`select act from audit_entries where tenant_group_id = ${clinic.tenantGroupId}`;
  await db.superuser.$client`update audit_entries set sealed_seq = 1 where tenant_group_id = ${clinic.tenantGroupId}`; // the live one, of the run's end
  expect(audit).toEqual([{ act: "drill.ended" }]);
  expect(await page()).toEqual(before);
}, 60_000);
