import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { requestRun } from "@/server/domain/planning/request-run";
import { PlanningWorld } from "@/server/domain/planning/testing";
import type { WorkerEnv } from "@/server/env";
import { openPostgresLog, preparePostgresLog } from "@/server/event-log/postgres";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { planningSolver } from "./planning-solver";
import { WorkerStatus } from "./worker-status";

let db: TestDatabase;
let world: PlanningWorld;
beforeAll(async () => {
  db = await createTestDatabase();
  await preparePostgresLog(db.worker);
  world = await PlanningWorld.open(db);
});
afterEach(clearTestPoints);
afterAll(() => db.close());

/** Runs the worker until the run is in the state, and stops it as a signal would. */
async function workUntil(runId: string, state: string): Promise<void> {
  const stopping = new AbortController();
  const status = new WorkerStatus("planning-solver", "planning-solver:test", systemClock);
  const env = { WORKER_LEASE_MS: 30_000 } as WorkerEnv;
  const context = {
    db: db.worker,
    eventLog: openPostgresLog(db.worker),
    env,
    clock: systemClock,
    random: () => 0,
    signal: stopping.signal,
    status,
  };
  const running = planningSolver(context);
  while ((await world.run(runId)).state !== state) await new Promise((resolve) => setTimeout(resolve, 20));
  stopping.abort();
  await running;
}

it("calculates what was asked for, in a thread, and goes on with a run of a dead solver", async () => {
  await world.visit("09:00");
  await world.absence(db.superuser.$client, 0, "09:00", "12:00");
  const { id } = JSON.parse((await requestRun(world.deps, world.call(world.desk, world.range), world.range, "DESK")).body);
  await db.superuser.$client`
    update planning_runs set state = 'CALCULATING', lease_owner = 'dead', lease_until = clock_timestamp() - interval '1 s', fence = 7 where id = ${id}`;

  await workUntil(id, "CALCULATED");

  expect(await world.run(id)).toMatchObject({ moves: 1, fence: "8", lease_owner: null, requested_from: "DESK", reproducible: true });
  expect(await world.apply(id)).toMatchObject({ outcome: "APPLIED", written: 1 });
});

it("applies again what met too many writers", async () => {
  world.nextDay();
  const moved = await world.visit("09:00");
  const runId = await world.calculated([{ visit: moved, at: "10:00" }]);
  setTestPoint(
    "planning.factsLoaded",
    () => db.superuser.$client`update appointments set updated_at = clock_timestamp() where id = ${moved.id}`,
  );
  expect(await world.apply(runId)).toMatchObject({ outcome: "RETRYABLE" });
  clearTestPoints();
  await db.superuser.$client`update planning_runs set next_attempt_at = clock_timestamp() where id = ${runId}`;

  await workUntil(runId, "APPLIED");

  expect((await world.row(moved)).version).toBe("2");
});
