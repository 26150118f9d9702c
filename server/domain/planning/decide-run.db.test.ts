import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import type { CommandAnswer } from "@/server/domain/idempotency/types";
import { newUuid } from "@/server/ids";
import { checkFreshnessAdvisory } from "./check-freshness-advisory";
import { claimRun } from "./claim-run";
import { cancelRun, discardRun, recalculateRun, requestPart } from "./decide-run";
import { requestRun } from "./request-run";
import { PlanningWorld } from "./testing";
import { planRequest } from "./types";

let db: TestDatabase;
let world: PlanningWorld;
beforeAll(async () => {
  db = await createTestDatabase();
  world = await PlanningWorld.open(db);
});
beforeEach(async () => {
  await db.superuser.$client`
    update planning_runs set state = 'DISCARDED', ended_at = clock_timestamp(), ended_reason = 'DISCARDED', lease_owner = null, lease_until = null
    where state in ('REQUESTED', 'CALCULATING')`;
  world.nextDay();
});
afterAll(() => db.close());

const bodyOf = ({ status, body }: CommandAnswer) => ({ status, ...JSON.parse(body) });
const ask = async (actor = world.staff, request = world.range, key = newUuid()) =>
  bodyOf(await requestRun(world.deps, world.call(actor, request, key), request, "OPERATIONS"));

describe("a request", () => {
  it("makes one run for one key", async () => {
    const key = newUuid();

    const [first, again] = [await ask(world.staff, world.range, key), await ask(world.staff, world.range, key)];

    expect(first).toMatchObject({ status: 201, state: "REQUESTED", ref: expect.stringMatching(/^SOL-[0-9A-Z]{6}$/) });
    expect(again).toEqual(first);
  });

  it("of the front desk is one of its right; of nobody else's", async () => {
    expect(await ask(world.desk)).toMatchObject({ status: 201 });
    await expect(ask(await world.person("ADMIN"))).rejects.toMatchObject({ code: "right-missing" });
  });

  it("that names a visit outside of its dates is refused: the solver would leave it out without a word", async () => {
    const visit = await world.visit("09:00");
    const later = { fromDate: nextDate(world.day), untilDate: nextDate(world.day), chosenIds: [visit.id] };

    expect(await ask(world.staff, later)).toMatchObject({ status: 422, code: "subject-invalid" });
    expect(await ask(world.staff, { ...later, fromDate: world.day })).toMatchObject({ status: 201 });
  });

  it("while a run of dates that overlap is under way is answered with that run; for other dates it is not", async () => {
    const first = await ask();
    const wider = { ...world.range, untilDate: nextDate(world.day) };

    expect(await ask(world.desk, wider)).toMatchObject({
      status: 409,
      code: "planning-running",
      runId: first.id,
      ref: first.ref,
      state: "REQUESTED",
    });
    world.nextDay();
    world.nextDay();
    expect(await ask()).toMatchObject({ status: 201 });
  });

  it("of two who ask at once makes one run", async () => {
    const ends = await Promise.all([ask(), ask(world.desk)]);

    expect(ends.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  it("names visits of its own clinic only, and dates that can be", async () => {
    expect(await ask(world.staff, { ...world.range, chosenIds: [newUuid()] })).toMatchObject({ status: 422, code: "subject-invalid" });
    expect(planRequest.safeParse({ fromDate: "2027-03-02", untilDate: "2027-03-01" }).success).toBe(false);
    expect(planRequest.safeParse({ fromDate: "2027-01-01", untilDate: "2027-03-03" }).success).toBe(true);
    expect(planRequest.safeParse({ fromDate: "2027-01-01", untilDate: "2027-03-04" }).success).toBe(false);
  });
});

describe("a plan that STAFF do not want", () => {
  it("is discarded, and discarded it stays", async () => {
    const runId = await world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);

    expect(bodyOf(await discardRun(world.deps, world.call(world.staff), runId))).toMatchObject({ status: 200, state: "DISCARDED" });
    expect(bodyOf(await discardRun(world.deps, world.call(world.staff), runId))).toMatchObject({
      code: "action-not-allowed",
      why: "ENDED",
    });
    await expect(world.apply(runId)).rejects.toThrow("ENDED");
    await expect(discardRun(world.deps, world.call(world.desk), runId)).rejects.toMatchObject({ code: "right-missing" });
  });

  it("and is stale is discarded and calculated again: the new run names the old one", async () => {
    const visit = await world.visit("09:00");
    const runId = await world.calculated([{ visit, at: "10:00" }]);
    await world.absence(db.superuser.$client, 0, "15:00", "16:00");
    await world.apply(runId);

    const made = bodyOf(await recalculateRun(world.deps, world.call(world.staff), runId, "OPERATIONS"));

    expect(await world.run(runId)).toMatchObject({ state: "DISCARDED", ended_reason: "RECALCULATED", stale_kind: "FACTS" });
    expect(await world.run(made.id)).toMatchObject({
      state: "REQUESTED",
      previous_run_id: runId,
      previous_as: "RECALCULATION",
      chosen_ids: [visit.id],
    });
  });
});

describe("a part of a plan", () => {
  it("is a run of its own: the chosen moves may move, everything else stays where it is", async () => {
    const [one, two] = [await world.visit("09:00"), await world.visit("11:00")];
    const runId = await world.calculated([
      { visit: one, at: "10:00" },
      { visit: two, at: "14:00" },
    ]);

    const part = { appointmentIds: [two.id] };
    const made = bodyOf(await requestPart(world.deps, world.call(world.staff, part), runId, part, "OPERATIONS"));

    expect(await world.run(made.id)).toMatchObject({
      previous_run_id: runId,
      previous_as: "PART",
      chosen_ids: [two.id],
      kept_ids: [one.id],
    });
    expect((await world.run(runId)).state).toBe("CALCULATED");
  });

  it("of all moves is the plan itself, and one of another plan is none", async () => {
    const [one, two, other] = [await world.visit("09:00"), await world.visit("11:00"), await world.visit("14:00")];
    const runId = await world.calculated([
      { visit: one, at: "10:00" },
      { visit: two, at: "15:00" },
    ]);
    const ofPart = async (ids: string[]) =>
      bodyOf(await requestPart(world.deps, world.call(world.staff, ids), runId, { appointmentIds: ids }, "OPERATIONS"));

    expect(await ofPart([one.id, two.id])).toMatchObject({ status: 422 });
    expect(await ofPart([other.id])).toMatchObject({ status: 422 });
  });
});

describe("a calculation that is cancelled", () => {
  it("ends at once when no solver has taken it", async () => {
    const run = await ask();

    expect(bodyOf(await cancelRun(world.deps, world.call(world.staff), run.id))).toMatchObject({ state: "DISCARDED" });
    expect(await world.run(run.id)).toMatchObject({ state: "DISCARDED", ended_reason: "CANCELLED", ended_by_ref: world.staff.ref });
  });

  it("is a wish while a solver holds it; who asked at the desk may, a colleague of the desk may not", async () => {
    const run = await ask(world.desk);
    await claimRun(db.worker, "solver-a", 30_000);

    await expect(cancelRun(world.deps, world.call(await world.person("FRONT_DESK")), run.id)).rejects.toMatchObject({
      code: "right-missing",
    });
    expect(bodyOf(await cancelRun(world.deps, world.call(world.desk), run.id))).toMatchObject({ state: "CALCULATING", wanted: "CANCEL" });
    expect(bodyOf(await cancelRun(world.deps, world.call(world.desk), run.id))).toMatchObject({ why: "CANCEL_WISHED" });
  });
});

describe("the look at a plan's freshness", () => {
  it("shows both versions and the rows that are behind, and permits nothing: it only looks", async () => {
    const [moved, stays] = [await world.visit("09:00"), await world.visit("11:00")];
    const runId = await world.calculated([{ visit: moved, at: "10:00" }]);
    const look = () => checkFreshnessAdvisory(db.web, world.staff, world.clinic.id, runId);
    expect(await look()).toMatchObject({ factsEqual: true, sources: 2, sourcesBehind: 0 });

    await world.absence(db.superuser.$client, 0, "15:00", "16:00");
    await db.superuser.$client`update appointments set placement_version = 2, version = 2 where id = ${stays.id}`;

    expect(await look()).toMatchObject({
      factsEqual: false,
      sourcesBehind: 1,
      behind: [{ ref: stays.ref, kind: "PLACEMENT", from: "1", to: "2" }],
    });
    expect((await world.run(runId)).state).toBe("CALCULATED");
  });
});

const nextDate = (date: string) => new Date(Date.parse(`${date}T00:00Z`) + 86_400_000).toISOString().slice(0, 10);
