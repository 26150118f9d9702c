import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { PlanningWorld } from "@/server/domain/planning/testing";
import { checkInvariants } from "./check-invariants";

let db: TestDatabase;
let world: PlanningWorld;
beforeAll(async () => {
  db = await createTestDatabase();
  world = await PlanningWorld.open(db);
});
afterAll(() => db.close());

describe("the records of plans", () => {
  const noticed = async () => (await checkInvariants(db.worker)).map(({ invariant }) => invariant).filter((name) => name.includes("plan"));
  const movedOnce = "a plan that was applied moved each of its visits once, by its own command, and no other plan moved any";
  const sameFacts = "a plan was applied over the facts that it was calculated from, and none changed until it was";
  const saysRight = "a calculated plan has the moves and sources that it says";

  it("hold after a plan was applied and another refused, and one that is broken is noticed", async () => {
    const runId = await world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);
    await world.apply(runId);
    world.nextDay();
    const refused = await world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);
    await world.absence(db.superuser.$client, 0, "15:00", "16:00");
    expect(await world.apply(refused)).toMatchObject({ outcome: "STALE_REJECTED" });
    const sql = db.superuser.$client;
    expect(await noticed()).toEqual([]);

    await sql`update planning_runs set apply_command_id = uuidv7() where id = ${runId}`;
    expect(await noticed()).toEqual([movedOnce]);
    await sql`
      update planning_runs set apply_command_id = (select command_id from outbox o join planning_run_moves m on m.appointment_id = o.aggregate_id
        where m.run_id = ${runId} and o.aggregate_seq = 2) where id = ${runId}`;
    await sql`update planning_apply_attempts set fact_version = repeat('0', 64) where run_id = ${runId}`;
    expect(await noticed()).toEqual([sameFacts]);
    await sql`update planning_apply_attempts a set fact_version = r.fact_version from planning_runs r where r.id = a.run_id and r.id = ${runId}`;
    await sql`update planning_runs set sources = sources + 1 where id = ${runId}`;
    expect(await noticed()).toEqual([saysRight]);
    await sql`update planning_runs set sources = sources - 1 where id = ${runId}`;
    expect(await noticed()).toEqual([]);
  });

  it("hold after a plan moved several visits by one command, each of them once; a command of another kind changes one visit", async () => {
    world.nextDay();
    const [one, two] = [await world.visit("09:00"), await world.visit("11:00")];
    const runId = await world.calculated([
      { visit: one, at: "10:00" },
      { visit: two, at: "12:00" },
    ]);
    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED", written: 2 });
    const once = async () => (await checkInvariants(db.worker)).find(({ invariant }) => invariant === "one command changes a visit once");
    expect(await once()).toBeUndefined();

    const sql = db.superuser.$client;
    const [run] = await sql`select apply_command_id as id from planning_runs where id = ${runId}`;
    await sql`update planning_runs set apply_command_id = uuidv7() where id = ${runId}`;
    expect(await once()).toMatchObject({ offenders: 1, examples: [{ id: run?.id, detail: "2 changes" }] });
    await sql`update planning_runs set apply_command_id = ${run?.id} where id = ${runId}`;
    expect(await once()).toBeUndefined();
  });
});
