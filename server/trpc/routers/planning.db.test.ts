import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { testRing } from "@/server/domain/inbox/testing";
import { PlanningWorld } from "@/server/domain/planning/testing";
import type { PersonActor } from "@/server/domain/scope/actor";
import { loadActor } from "@/server/domain/scope/load-actor";
import type { WebEnv } from "@/server/env";
import { newUuid } from "@/server/ids";
import { appRouter } from "../root";
import { createCallerFactory } from "../trpc";

let db: TestDatabase;
let world: PlanningWorld;
beforeAll(async () => {
  db = await createTestDatabase();
  world = await PlanningWorld.open(db);
});
beforeEach(async () => {
  await db.superuser.$client`
    update planning_runs set state = 'DISCARDED', ended_at = clock_timestamp(), ended_reason = 'DISCARDED' where state = 'REQUESTED'`;
  world.nextDay();
});
afterAll(() => db.close());

/** As a page of this person calls it. */
async function as({ tenantGroupId, userId }: PersonActor) {
  const env = {
    DIGEST_KEYS: testRing,
    IDEMPOTENCY_RETENTION_HOURS: 24,
    IDEMPOTENCY_WAIT_MS: 2_000,
    IDEMPOTENCY_REUSED_STATUS: 409,
  } as WebEnv;
  const actor = await loadActor(db.web, { tenantGroupId, userId });
  return createCallerFactory(appRouter)({ db: db.web, clock: systemClock, env, requestId: newUuid(), actor, batchSize: 1 }).planning;
}
const at = () => ({ clinicId: world.clinic.ref, key: newUuid() });

describe("plans over tRPC", () => {
  it("are asked for and watched at the desk, stopped by who asked, and decided by STAFF", async () => {
    const desk = await as(world.desk);
    const change = { fromDate: world.day, untilDate: world.day };
    const asked = await desk.request({ ...at(), change });
    expect(asked).toMatchObject({ status: 201, body: { state: "REQUESTED" } });
    const runId = asked.body.id as string;
    expect(await world.run(runId)).toMatchObject({ requested_from: "DESK", requested_by_ref: world.desk.ref });

    expect(await desk.watch({ ...at(), runId })).toMatchObject({ state: "REQUESTED", progress: null, cancel: { allowed: true } });
    expect(await (await as(world.staff)).request({ ...at(), change })).toMatchObject({
      status: 409,
      body: { code: "planning-running", runId },
    });
    await expect(desk.applyPlan({ ...at(), runId })).rejects.toMatchObject({ message: "right-missing" });
    expect(await desk.cancel({ ...at(), runId })).toMatchObject({ status: 200, body: { state: "DISCARDED" } });
  });

  it("are applied once under one key, whoever sends it again", async () => {
    const runId = await world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);
    const staff = await as(world.staff);
    expect(await staff.freshness({ ...at(), runId })).toMatchObject({ factsEqual: true, sourcesBehind: 0 });
    const call = { ...at(), runId };

    const [first, second] = [await staff.applyPlan(call), await staff.applyPlan(call)];

    expect(first).toMatchObject({ status: 200, body: { outcome: "APPLIED", written: 1 }, replayed: false });
    expect(second).toMatchObject({ status: 200, body: first.body, replayed: true });
    expect(await staff.discard({ ...at(), runId })).toMatchObject({ status: 409, body: { code: "action-not-allowed", why: "ENDED" } });
  });

  it("are not seen from another clinic or by who has no part in them", async () => {
    const runId = await world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);
    const stranger = await world.beside(world.fixture.t1.nyc);
    const admin = await as(await world.person("ADMIN"));

    await expect((await as(stranger.staff)).watch({ ...at(), runId })).rejects.toMatchObject({ message: "not-found" });
    await expect((await as(stranger.staff)).applyPlan({ clinicId: stranger.clinic.ref, key: newUuid(), runId })).rejects.toMatchObject({
      message: "not-found",
    });
    await expect(admin.watch({ ...at(), runId })).rejects.toMatchObject({ message: "right-missing" });
    expect((await world.run(runId)).state).toBe("CALCULATED");
  });
});
