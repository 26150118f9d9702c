import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import type { ClinicFactChangeV1 } from "@/server/domain/event-log/contracts/clinic-fact-v1";
import type { PublishedEvent } from "@/server/domain/event-log/envelope";
import { newUuid } from "@/server/ids";
import { discardRun } from "./decide-run";
import { markProbablyStale } from "./planning-trigger";
import { PlanningWorld } from "./testing";

let db: TestDatabase;
let world: PlanningWorld;
beforeAll(async () => {
  db = await createTestDatabase();
  world = await PlanningWorld.open(db);
});
beforeEach(async () => {
  // plans of the days before would be marked as well: dates are compared with a day to spare on either side
  await db.superuser.$client`
    update planning_runs set state = 'DISCARDED', ended_at = clock_timestamp(), ended_reason = 'DISCARDED' where state = 'CALCULATED'`;
  world.nextDay();
});
afterAll(() => db.close());

/** As the relay would bring it, after the fact was written. */
async function changed(more: Partial<ClinicFactChangeV1> = {}): Promise<PublishedEvent<ClinicFactChangeV1>> {
  const [scope] = await db.superuser.$client`select fact_version from planning_scopes where clinic_id = ${world.clinic.id}`;
  const { id: clinicId, tenantGroupId } = world.clinic;
  const payload = {
    clinicId,
    fact: "ABSENCE" as const,
    change: "ADDED" as const,
    factId: newUuid(),
    doctorId: world.clinic.doctors[0]?.id ?? null,
    equipmentId: null,
    from: await world.instant("15:00"),
    until: await world.instant("16:00"),
    factVersion: scope?.fact_version as string,
    ...more,
  };
  return { tenantGroupId, clinicId, payload } as PublishedEvent<ClinicFactChangeV1>;
}
const handle = (...events: PublishedEvent<ClinicFactChangeV1>[]) =>
  withTx(db.worker, { worker: "planning-trigger-v1", tenantGroupId: world.clinic.tenantGroupId }, (tx) => markProbablyStale(tx, events));
const plan = async () => world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);

describe("a fact that changes under a calculated plan", () => {
  it("marks it as probably stale, once for each kind of fact, and decides nothing", async () => {
    const runId = await plan();
    await world.absence(db.superuser.$client, 0, "15:00", "16:00");

    expect(await handle(await changed(), await changed({ fact: "CLOSURE", doctorId: null }))).toEqual([{ kind: "done" }, { kind: "done" }]);
    await handle(await changed());

    const run = await world.run(runId);
    expect(run).toMatchObject({ state: "CALCULATED", probably_stale_facts: ["ABSENCE", "CLOSURE"] });
    expect(run.probably_stale_at).not.toBeNull();
  });

  it("and that it was calculated from marks nothing", async () => {
    await world.absence(db.superuser.$client, 0, "15:00", "16:00");
    const runId = await plan();

    expect(await handle(await changed())).toEqual([{ kind: "noEffect", reason: "NO_PLAN" }]);
    expect((await world.run(runId)).probably_stale_at).toBeNull();
  });

  it("on other dates marks nothing; one that holds every week does", async () => {
    const runId = await plan();
    await world.absence(db.superuser.$client, 0, "15:00", "16:00");
    const later = { from: "2099-01-01T00:00:00Z", until: "2099-01-02T00:00:00Z" };

    expect(await handle(await changed(later))).toEqual([{ kind: "noEffect", reason: "NO_PLAN" }]);
    expect(await handle(await changed({ fact: "HOURS", from: null, until: null }))).toEqual([{ kind: "done" }]);
    expect((await world.run(runId)).probably_stale_facts).toEqual(["HOURS"]);
  });

  it("marks no plan that has ended, and none of another clinic", async () => {
    const runId = await plan();
    await discardRun(world.deps, world.call(world.staff), runId);
    await world.absence(db.superuser.$client, 0, "15:00", "16:00");

    expect(await handle(await changed({ clinicId: world.fixture.t1.nyc.id }), await changed())).toEqual([
      { kind: "noEffect", reason: "NO_PLAN" },
      { kind: "noEffect", reason: "NO_PLAN" },
    ]);
    expect((await world.run(runId)).probably_stale_at).toBeNull();
  });

  it("and is told late, when the plan is applied, marks nothing: the fence has decided", async () => {
    const runId = await plan();
    await world.apply(runId);
    await world.absence(db.superuser.$client, 0, "15:00", "16:00");

    expect(await handle(await changed())).toEqual([{ kind: "noEffect", reason: "NO_PLAN" }]);
    expect(await world.run(runId)).toMatchObject({ state: "APPLIED", probably_stale_at: null });
  });
});
