import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { testRing } from "@/server/domain/inbox/testing";
import { ReplayWorld, wideBounds } from "@/server/domain/replay/testing";
import type { WorkerEnv } from "@/server/env";
import { openPostgresLog, preparePostgresLog } from "@/server/event-log/postgres";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { replayRunner } from "./replay-runner";
import { WorkerStatus } from "./worker-status";

let db: TestDatabase;
let world: ReplayWorld;
beforeAll(async () => {
  db = await createTestDatabase();
  await preparePostgresLog(db.worker);
  world = await ReplayWorld.open(db, openPostgresLog(db.worker));
});
afterAll(() => db.close());

/** Runs the worker until the job has ended, and stops it as a signal would. */
async function runUntilEnded(requestId: string): Promise<void> {
  const stopping = new AbortController();
  const status = new WorkerStatus("replay-runner", "replay-runner:test", systemClock);
  const env = { DEMO: false, DEMO_FAULTS: false, DIGEST_KEYS: testRing, WORKER_LEASE_MS: 30_000 } as WorkerEnv;
  const context = { db: db.worker, eventLog: world.log, env, clock: systemClock, random: () => 0, signal: stopping.signal, status };
  const running = replayRunner(context);
  while ((await world.request(requestId)).ended_at === null) await new Promise((resolve) => setTimeout(resolve, 20));
  stopping.abort();
  await running;
}

it("takes an approved job with the registered consumers, goes on with one of a dead process, and says what it did", async () => {
  const operator = await world.person();
  const rows = await world.stopped(3, "HANDLER_FAILED", "reminder-planner-v1");
  const selection = { kind: "group" as const, consumer: "reminder-planner-v1", reasonCode: "HANDLER_FAILED", recordsMax: 10 };
  const { requestId } = await world.approved(operator, selection, { bounds: { ...wideBounds, ratePerSecond: 50 } });
  await db.superuser.$client`
    update replay_requests set state = 'RUNNING', lease_owner = 'dead', lease_until = clock_timestamp() - interval '1 s', started_at = clock_timestamp(),
      approval_used_at = clock_timestamp(), fence = 7
    where request_id = ${requestId}`;
  let claims = 0;
  setTestPoint("replay.afterClaim", () => {
    claims += 1;
  });
  await runUntilEnded(requestId);
  clearTestPoints();
  // the visits of these events are not there: the planner of today stops at them again, and that is what the receipt says
  expect(await world.request(requestId)).toMatchObject({ state: "NEEDS_ACTION", quarantined: 3, fence: "8", lease_owner: null });
  expect(claims).toBe(1);
  expect(await world.acts(requestId)).toContain("replay.taken-over DONE");
  for (const { id } of rows) expect(await world.row(id)).toMatchObject({ state: "QUARANTINED", replay_request_id: requestId });
});
