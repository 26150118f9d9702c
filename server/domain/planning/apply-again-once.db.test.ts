import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { untilSomebodyWaits } from "@/db/testing/until-somebody-waits";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { applyAgainOnce } from "./apply-again-once";
import { discardRun } from "./decide-run";
import { PlanningWorld, type TestVisit } from "./testing";
import { blindAbsence, factWriters, openWriter, pointsUnderLock } from "./testing/writers";

let db: TestDatabase;
let world: PlanningWorld;
let moved: TestVisit;
let runId: string;
beforeAll(async () => {
  db = await createTestDatabase();
  world = await PlanningWorld.open(db);
});
beforeEach(async () => {
  await db.superuser
    .$client`update planning_runs set next_attempt_at = null, lease_owner = null, lease_until = null where state = 'RETRYABLE'`;
  world.nextDay();
  moved = await world.visit("09:00");
  runId = await world.calculated([{ visit: moved, at: "10:00" }]);
});
afterEach(clearTestPoints);
afterAll(() => db.close());

/** Whoever comes to the rows finds that one of them has been touched since his snapshot, every time: nothing that matters has changed. */
const storm = () =>
  setTestPoint(
    "planning.factsLoaded",
    () => db.superuser.$client`update appointments set updated_at = clock_timestamp() where id = ${moved.id}`,
  );
const due = () => db.superuser.$client`
  update planning_runs set next_attempt_at = clock_timestamp() - interval '1 second', lease_until = lease_until - interval '1 hour' where id = ${runId}`;
const again = () => applyAgainOnce(db.worker, "planner-a");

describe("an apply that the database asks to begin anew until its runs are used up", () => {
  it("is RETRYABLE, not stale: nothing is written, and the run says when it is tried again, and why", async () => {
    storm();

    const result = await world.apply(runId);

    expect(result).toMatchObject({ outcome: "RETRYABLE", sqlstate: "40001", runs: 5, written: 0, staleKind: null });
    expect(await world.run(runId)).toMatchObject({
      state: "RETRYABLE",
      sqlstate: "40001",
      apply_attempts: 1,
      worker_attempts: 0,
      stale_kind: null,
    });
    expect((await world.run(runId)).next_attempt_at).not.toBeNull();
    expect((await world.row(moved)).version).toBe("1");
    expect(await world.attempts(runId)).toMatchObject([{ outcome: "RETRYABLE", sqlstate: "40001", runs: 5, written: 0 }]);
  });

  it("and not before: a storm of four runs ends in the fifth, applied", async () => {
    let left = 4;
    setTestPoint("planning.factsLoaded", async () => {
      if (left-- > 0) await db.superuser.$client`update appointments set updated_at = clock_timestamp() where id = ${moved.id}`;
    });

    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED", runs: 5 });
  });

  it("leaves its key free: the same call again decides anew", async () => {
    const key = newUuid();
    storm();
    await world.apply(runId, world.staff, key);
    clearTestPoints();

    expect(await world.apply(runId, world.staff, key)).toMatchObject({ outcome: "APPLIED", attempt: 2 });
  });
});

describe("the planning worker", () => {
  beforeEach(async () => {
    storm();
    await world.apply(runId);
    clearTestPoints();
  });

  it("waits until it is time", async () => {
    await db.superuser.$client`update planning_runs set next_attempt_at = clock_timestamp() + interval '1 hour' where id = ${runId}`;

    expect(await again()).toEqual({ claimed: 0, outcome: null });
  });

  it("applies the same run again, as itself, and the run names who ordered it", async () => {
    await due();

    expect(await again()).toEqual({ claimed: 1, outcome: "APPLIED" });
    expect(await world.run(runId)).toMatchObject({
      state: "APPLIED",
      apply_by_ref: world.staff.ref,
      worker_attempts: 1,
      lease_owner: null,
      next_attempt_at: null,
    });
    const [entry] = await db.superuser
      .$client`select actor_kind, actor_role, source, version from appointment_history where appointment_id = ${moved.id}`;
    expect(entry).toMatchObject({ actor_kind: "worker", actor_role: null, source: "WORKER", version: "2" });
  });

  it("lets the fence decide anew: what has become stale meanwhile is refused", async () => {
    await world.absence(db.superuser.$client, 1, "15:00", "16:00");
    await due();

    expect(await again()).toEqual({ claimed: 1, outcome: "STALE_REJECTED" });
    expect((await world.row(moved)).version).toBe("1");
  });

  it("tries five times and then leaves it to STAFF, who can apply it still", async () => {
    storm();
    for (let attempt = 1; attempt <= 5; attempt++) {
      await due();
      expect(await again()).toEqual({ claimed: 1, outcome: "RETRYABLE" });
    }
    expect(await world.run(runId)).toMatchObject({ state: "RETRYABLE", worker_attempts: 5, next_attempt_at: null, lease_owner: null });
    await due();
    expect(await again()).toEqual({ claimed: 0, outcome: null });
    clearTestPoints();

    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED", attempt: 7 });
  });

  it("that dies over it is followed by another one when its lease has ended; the late one changes nothing", async () => {
    await due();
    let isLate = true;
    setTestPoint("planning.afterRetryClaim", async () => {
      if (!isLate) return;
      isLate = false;
      await due();
      expect(await applyAgainOnce(db.worker, "planner-b")).toEqual({ claimed: 1, outcome: "APPLIED" });
    });

    expect(await again()).toEqual({ claimed: 1, outcome: "FENCED" });
    expect((await world.row(moved)).version).toBe("2");
  });

  it("whose lease has ended while another one failed: its fence is not the run's any more", async () => {
    await due();
    let isLate = true;
    setTestPoint("planning.afterRetryClaim", async () => {
      if (!isLate) return;
      isLate = false;
      await due();
      storm();
      expect(await applyAgainOnce(db.worker, "planner-b")).toEqual({ claimed: 1, outcome: "RETRYABLE" });
      clearTestPoints();
    });

    expect(await again()).toEqual({ claimed: 1, outcome: "FENCED" });
    expect((await world.row(moved)).version).toBe("1");
  });

  it("holds a run by its lease: a second worker leaves it alone", async () => {
    await due();
    setTestPoint("planning.afterRetryClaim", async () => {
      clearTestPoints();
      expect(await applyAgainOnce(db.worker, "planner-b")).toEqual({ claimed: 0, outcome: null });
    });

    expect(await again()).toEqual({ claimed: 1, outcome: "APPLIED" });
  });

  it("finds it applied when STAFF were faster", async () => {
    await due();
    setTestPoint("planning.afterRetryClaim", async () => {
      clearTestPoints();
      await world.apply(runId);
    });

    expect(await again()).toEqual({ claimed: 1, outcome: "FENCED" });
    expect((await world.row(moved)).version).toBe("2");
  });

  it("does not apply for somebody who is STAFF no more", async () => {
    const former = await world.person("STAFF");
    await db.superuser.$client`update planning_runs set apply_by_id = ${former.userId} where id = ${runId}`;
    await db.superuser.$client`delete from user_roles where user_id = ${former.userId}`;
    await due();

    expect(await again()).toEqual({ claimed: 1, outcome: "ROLE_REMOVED" });
    expect(await world.run(runId)).toMatchObject({ state: "RETRYABLE", next_attempt_at: null });
    expect((await world.row(moved)).version).toBe("1");
  });

  it.each(factWriters)("waits for a fact that is in the hands of %s, and never misses it", async (_who, open) => {
    await due();
    const writer = await open(world, db.superuser.$client);
    const applying = again();
    await untilSomebodyWaits(db.superuser, applying);
    await writer.end("commit");

    expect(await applying).toEqual({ claimed: 1, outcome: "STALE_REJECTED" });
    expect(await world.run(runId)).toMatchObject({
      state: "STALE_REJECTED",
      stale_kind: "FACTS",
      lease_owner: null,
      next_attempt_at: null,
    });
    expect((await world.attempts(runId)).at(-1)).toMatchObject({ outcome: "STALE_REJECTED", runs: 2, written: 0 });
    expect((await world.row(moved)).version).toBe("1");
  });

  it.each(factWriters)("applies when the fact that was in the hands of %s was rolled back", async (_who, open) => {
    await due();
    const writer = await open(world, db.superuser.$client);
    const applying = again();
    await untilSomebodyWaits(db.superuser, applying);
    await writer.end("rollback");

    expect(await applying).toEqual({ claimed: 1, outcome: "APPLIED" });
    expect((await world.row(moved)).version).toBe("2");
  });

  it.each(["afterRetryClaim", "beforeScopeLock"])("sees a fact that is written at %s", async (point) => {
    await due();
    setTestPoint(`planning.${point}`, async () => {
      clearTestPoints();
      await blindAbsence(world, db.superuser.$client);
    });

    expect(await again()).toEqual({ claimed: 1, outcome: "STALE_REJECTED" });
    expect((await world.row(moved)).version).toBe("1");
  });

  it.each(pointsUnderLock)("lets a fact that comes at %s wait until it has ended", async (point) => {
    await due();
    let writing: Promise<unknown> = Promise.resolve();
    let hasWaited = false;
    setTestPoint(`planning.${point}`, async () => {
      clearTestPoints();
      writing = blindAbsence(world, db.superuser.$client);
      hasWaited = await untilSomebodyWaits(db.superuser, writing);
    });

    expect(await again()).toEqual({ claimed: 1, outcome: "APPLIED" });
    await writing;
    expect(hasWaited).toBe(true);
    const attempt = (await world.attempts(runId)).at(-1);
    const [scope] = await db.superuser.$client`select fact_version from planning_scopes where clinic_id = ${world.clinic.id}`;
    expect(BigInt(scope?.fact_version)).toBe(BigInt(attempt?.scope_fact_version) + 1n);
  });

  it("sees a role that is taken away while a booking holds the scope: it asked under lock, not in its old snapshot", async () => {
    const former = await world.person("STAFF");
    await db.superuser.$client`update planning_runs set apply_by_id = ${former.userId} where id = ${runId}`;
    await due();
    const booking = await openWriter(
      db.superuser.$client,
      (sql) => sql`select 1 from planning_scopes where clinic_id = ${world.clinic.id} for no key update`,
    );
    const applying = again();
    await untilSomebodyWaits(db.superuser, applying);
    await db.superuser.$client`delete from user_roles where user_id = ${former.userId}`;
    await booking.end("commit");

    expect(await applying).toEqual({ claimed: 1, outcome: "ROLE_REMOVED" });
    expect((await world.row(moved)).version).toBe("1");
  });

  it("and whoever takes the role away while the plan is written waits until it is", async () => {
    const former = await world.person("STAFF");
    await db.superuser.$client`update planning_runs set apply_by_id = ${former.userId} where id = ${runId}`;
    await due();
    let revoking: Promise<unknown> = Promise.resolve();
    let hasWaited = false;
    setTestPoint("planning.movesWritten", async () => {
      revoking = db.superuser.$client`delete from user_roles where user_id = ${former.userId}`.then(() => {});
      hasWaited = await untilSomebodyWaits(db.superuser, revoking);
    });

    expect(await again()).toEqual({ claimed: 1, outcome: "APPLIED" });
    await revoking;
    expect(hasWaited).toBe(true);
  });

  it("writes down each attempt that the database broke off, as a person's own does", async () => {
    await due();
    storm();
    expect(await again()).toEqual({ claimed: 1, outcome: "RETRYABLE" });

    const entries = await db.superuser.$client`
      select actor_kind, actor_ref, actor_role, result, reason_code, details ->> 'attempt' as attempt, details ->> 'orderedBy' as ordered_by
      from audit_entries where subject_id = ${runId} and act = 'planning.applied' order by at, id`;
    expect(entries).toMatchObject([
      { actor_kind: "person", actor_ref: world.staff.ref, actor_role: "STAFF", result: "REFUSED", reason_code: "40001", attempt: "1" },
      { actor_kind: "worker", result: "REFUSED", reason_code: "40001", attempt: "2", ordered_by: world.staff.ref },
    ]);
  });

  it("does not touch a run that STAFF discarded", async () => {
    await discardRun(world.deps, world.call(world.staff), runId);

    expect(await again()).toEqual({ claimed: 0, outcome: null });
    expect(await world.run(runId)).toMatchObject({ state: "DISCARDED", sqlstate: "40001", ended_by_ref: world.staff.ref });
  });
});
