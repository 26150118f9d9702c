import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { closeDb, openDb, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import type { ClinicFactChangeV1 } from "@/server/domain/event-log/contracts/clinic-fact-v1";
import type { PublishedEvent } from "@/server/domain/event-log/envelope";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { calculateOnce, type SolverDeps } from "./calculate-once";
import { cancelRun, requestPart } from "./decide-run";
import { markProbablyStale } from "./planning-trigger";
import { requestRun } from "./request-run";
import { solve } from "./solver/solve";
import { solveInThread } from "./solver/solve-in-thread";
import { PlanningWorld } from "./testing";

let db: TestDatabase;
let world: PlanningWorld;
beforeAll(async () => {
  db = await createTestDatabase();
  world = await PlanningWorld.open(db);
});
beforeEach(async () => {
  await db.superuser.$client`
    update planning_runs set state = 'DISCARDED', ended_at = clock_timestamp(), ended_reason = 'DISCARDED', lease_owner = null, lease_until = null
    where state in ('REQUESTED', 'CALCULATING', 'CALCULATED')`;
  world.nextDay();
});
afterEach(clearTestPoints);
afterAll(() => db.close());

const here: SolverDeps["solve"] = (problem, options) => solve(problem, options);
const depsOf = (more: Partial<SolverDeps> = {}): SolverDeps => ({
  db: db.worker,
  worker: "solver-a",
  clock: systemClock,
  solve: here,
  ...more,
});
const calculate = (more: Partial<SolverDeps> = {}, signal = new AbortController().signal, lookMs = 500) =>
  calculateOnce(depsOf(more), { signal }, { lookMs });
const ask = async (chosenIds: string[] = []): Promise<string> => {
  const request = { ...world.range, chosenIds };
  return JSON.parse((await requestRun(world.deps, world.call(world.staff, request), request, "OPERATIONS")).body).id;
};
const movesOf = (runId: string) => db.superuser.$client`select * from planning_run_moves where run_id = ${runId} order by position`;
const sourcesOf = (runId: string) =>
  db.superuser
    .$client`select appointment_id, kind, expected_version from planning_run_sources where run_id = ${runId} order by appointment_id`;
const actsOf = async (runId: string) =>
  (await db.superuser.$client`select act from audit_entries where subject_id = ${runId} order by at, id`).map(({ act }) => act);
const expireLeases = () =>
  db.superuser.$client`update planning_runs set lease_until = lease_until - interval '1 hour' where lease_until is not null`;

describe("a calculation", () => {
  it("moves what breaks a fact, leaves the rest, and says why, from which version of the facts and of each row", async () => {
    const [hit, stays] = [await world.visit("09:00"), await world.visit("14:00")];
    await world.absence(db.superuser.$client, 0, "09:00", "12:00");
    const runId = await ask();

    expect(await calculate()).toMatchObject({ claimed: 1, state: "CALCULATED" });

    expect(await world.run(runId)).toMatchObject({
      state: "CALCULATED",
      moves: 1,
      unplaced: 0,
      movable: 1,
      visits: 2,
      sources: 2,
      feasible: true,
      proven: true,
    });
    const [move] = await movesOf(runId);
    expect(move).toMatchObject({
      appointment_id: hit.id,
      kind: "MOVE",
      why_code: "DOCTOR_ABSENT",
      why_subject_ref: world.clinic.doctors[0]?.ref,
      was_told: false,
    });
    expect(new Map((await sourcesOf(runId)).map((row) => [row.appointment_id, `${row.kind} ${row.expected_version}`]))).toEqual(
      new Map([
        [hit.id, "VERSION 1"],
        [stays.id, "PLACEMENT 1"],
      ]),
    );
    expect(await actsOf(runId)).toEqual(["planning.requested", "planning.started", "planning.calculated"]);
    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED", written: 1 });
  });

  it("gives a visit that waits for a time one, and keeps what a person pinned (H-K3)", async () => {
    const [waits, pinned] = [await world.visit("10:00", { status: "PENDING_RESCHEDULE" }), await world.visit("11:00")];
    await db.superuser.$client`update appointments set pinned = true where id = ${pinned.id}`;
    await world.absence(db.superuser.$client, 0, "11:00", "12:00");
    const runId = await ask([pinned.id]);
    await calculate();

    expect((await movesOf(runId)).map((move) => [move.appointment_id, move.kind, move.why_code])).toEqual([
      [waits.id, "MOVE", "PENDING_RESCHEDULE"],
      [pinned.id, "STAYS", "DOCTOR_ABSENT"],
    ]);
    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED" });
    expect(await world.row(pinned)).toMatchObject({ version: "1" });
    const [told] = await db.superuser.$client`select count(*)::int4 as n from notification_intents where appointment_id = ${pinned.id}`;
    expect(told?.n).toBe(0);
  });

  it("reports every affected visit that it leaves: pinned, of another length, there already or chosen in vain; none is counted as placed", async () => {
    const [hit, pinned, longer, there] = [
      await world.visit("09:00"),
      await world.visit("09:30"),
      await world.visit("10:00"),
      await world.visit("10:30"),
    ];
    const [waits, chosen, fine] = [
      await world.visit("11:00", { status: "PENDING_RESCHEDULE" }),
      await world.visit("14:00"),
      await world.visit("15:00"),
    ];
    await db.superuser.$client`update appointments set pinned = true where id = any (${[pinned.id, waits.id, chosen.id, fine.id]}::uuid[])`;
    await db.superuser.$client`update appointments set ends_at = ends_at - interval '5 minutes' where id = ${longer.id}`;
    await db.superuser.$client`update appointments set status = 'CHECKED_IN' where id = ${there.id}`;
    await world.absence(db.superuser.$client, 0, "09:00", "12:00");
    const runId = await ask([chosen.id]);
    await calculate();

    expect(await world.run(runId)).toMatchObject({ state: "CALCULATED", movable: 1, moves: 1, unplaced: 0, stays: 5, visits: 7 });
    expect((await movesOf(runId)).map((move) => [move.appointment_id, move.kind, move.why_code, move.status])).toEqual([
      [hit.id, "MOVE", "DOCTOR_ABSENT", "CONFIRMED"],
      [pinned.id, "STAYS", "DOCTOR_ABSENT", "CONFIRMED"],
      [longer.id, "STAYS", "DOCTOR_ABSENT", "CONFIRMED"],
      [there.id, "STAYS", "DOCTOR_ABSENT", "CHECKED_IN"],
      [waits.id, "STAYS", "PENDING_RESCHEDULE", "PENDING_RESCHEDULE"],
      [chosen.id, "STAYS", "CHOSEN", "CONFIRMED"],
    ]);
    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED", written: 1, sourcesCompared: 7 });
    expect(await world.row(pinned)).toMatchObject({ version: "1" });
  });

  it("without a legal time for a visit says so and places it nowhere: empty availability of what it needs is no freedom (H-K2)", async () => {
    const scan = await world.visit("09:00", { treatment: "ULTRASOUND" });
    await db.superuser.$client`
      insert into resource_outages (tenant_group_id, clinic_id, resource_id, local_from, local_until, during, units, reason)
      values (${world.clinic.tenantGroupId}, ${world.clinic.id}, ${world.clinic.ultrasound.resourceId}, ${`${world.day} 00:00`}, ${`${world.day} 23:00`},
        tstzrange(${await world.instant("00:00")}, ${await world.instant("23:00")}), 1, 'Maintenance')`;
    const runId = await ask();
    await calculate();

    expect(await world.run(runId)).toMatchObject({ state: "CALCULATED", feasible: false, moves: 0, unplaced: 1 });
    expect(await movesOf(runId)).toMatchObject([
      { appointment_id: scan.id, kind: "UNPLACED", why_code: "EQUIPMENT_OUT", to_doctor_id: null },
    ]);
    await expect(world.apply(runId)).rejects.toThrow("NOTHING_MOVES");
  });

  it("of a part moves what was chosen and nothing else", async () => {
    const [one, two] = [await world.visit("09:00"), await world.visit("10:00")];
    await world.absence(db.superuser.$client, 0, "09:00", "12:00");
    const whole = await ask();
    await calculate();
    const part = { appointmentIds: [two.id] };
    const made = JSON.parse((await requestPart(world.deps, world.call(world.staff, part), whole, part, "OPERATIONS")).body);
    await calculate();

    expect((await movesOf(made.id)).map((move) => [move.appointment_id, move.kind])).toEqual([
      [two.id, "MOVE"],
      [one.id, "STAYS"],
    ]);
    expect(await world.apply(made.id)).toMatchObject({ outcome: "APPLIED", written: 1 });
    expect((await world.row(one)).version).toBe("1");
    expect(await world.apply(whole)).toMatchObject({ outcome: "STALE_REJECTED", staleKind: "VERSIONS", behind: [{ ref: two.ref }] });
  });

  it("with nothing to move is done, and there is nothing to apply", async () => {
    await world.visit("09:00");
    const runId = await ask();

    expect(await calculate()).toMatchObject({ state: "CALCULATED" });
    expect(await world.run(runId)).toMatchObject({ moves: 0, unplaced: 0, movable: 0, sources: 1 });
  });

  it("in a thread comes to the same plan", async () => {
    await world.visit("09:00");
    await world.absence(db.superuser.$client, 0, "09:00", "12:00");
    const first = await ask();
    await calculate();
    const again = await ask();
    await calculate({ solve: solveInThread });

    const placesOf = async (runId: string) =>
      (await movesOf(runId)).map((move) => [move.appointment_id, move.to_doctor_id, move.to_starts_at]);
    expect(await placesOf(again)).toEqual(await placesOf(first));
  });
});

describe("a fact that changes while a plan is calculated", () => {
  const eventOf = async (from: string, until: string) => {
    const [scope] = await db.superuser.$client`select fact_version from planning_scopes where clinic_id = ${world.clinic.id}`;
    const { id: clinicId, tenantGroupId } = world.clinic;
    const payload = {
      clinicId,
      fact: "ABSENCE",
      factVersion: scope?.fact_version,
      from: await world.instant(from),
      until: await world.instant(until),
    };
    return { tenantGroupId, clinicId, payload } as PublishedEvent<ClinicFactChangeV1>;
  };
  const consume = async (from: string, until: string) => {
    const event = await eventOf(from, until);
    return withTx(db.worker, { worker: "planning-trigger-v1", tenantGroupId: world.clinic.tenantGroupId }, (tx) =>
      markProbablyStale(tx, [event]),
    );
  };

  it("and whose event comes by before there is a plan to mark is marked with the plan", async () => {
    await world.visit("09:00", { status: "REQUESTED" });
    const runId = await ask();
    setTestPoint("planning.afterSolve", async () => {
      await world.absence(db.superuser.$client, 1, "15:00", "16:00");
      expect(await consume("15:00", "16:00")).toEqual([{ kind: "noEffect", reason: "NO_PLAN" }]);
    });

    await calculate();

    const run = await world.run(runId);
    expect(run).toMatchObject({ state: "CALCULATED", probably_stale_facts: ["ABSENCE"] });
    expect(run.probably_stale_at).not.toBeNull();
  });

  it("on other dates, or before the snapshot, marks nothing", async () => {
    await world.absence(db.superuser.$client, 1, "15:00", "16:00");
    const runId = await ask();
    setTestPoint("planning.afterSolve", async () => {
      const { id, tenantGroupId, doctors } = world.clinic;
      await db.superuser.$client`
        insert into absences (tenant_group_id, clinic_id, doctor_id, local_from, local_until, during, reason)
        values (${tenantGroupId}, ${id}, ${doctors[0]?.id as string}, '2099-01-01 00:00', '2099-01-02 00:00', '[2099-01-01Z,2099-01-02Z)', 'Test')`;
    });

    await calculate();

    expect(await world.run(runId)).toMatchObject({ state: "CALCULATED", probably_stale_at: null });
  });

  it("between the last look at it and the end of the calculation waits, so that its event finds the plan", async () => {
    const runId = await ask();
    let writing: Promise<unknown> = Promise.resolve();
    setTestPoint("planning.beforeSettled", async () => {
      writing = world.absence(db.superuser.$client, 1, "15:00", "16:00");
      for (let waits = 0; waits === 0; ) {
        const [row] = await db.superuser.$client`
          select count(*)::int4 as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        waits = row?.n ?? 0;
        if (await Promise.race([writing.then(() => true), Promise.resolve(false)])) break;
      }
    });

    await calculate();
    await writing;

    expect(await world.run(runId)).toMatchObject({ state: "CALCULATED", probably_stale_at: null });
    expect(await consume("15:00", "16:00")).toEqual([{ kind: "done" }]);
  });
});

describe("a solver", () => {
  it("that dies is followed by another one when its lease has ended; the plan counts once", async () => {
    await world.visit("09:00", { status: "REQUESTED" });
    const runId = await ask();
    const pool = openDb(db.urls.worker, { max: 2 });
    const dies: SolverDeps["solve"] = async () => {
      await closeDb(pool, 0);
      throw new Error("killed");
    };
    await calculate({ db: pool, solve: dies }).catch(() => {});
    expect(await world.run(runId)).toMatchObject({ state: "CALCULATING", fence: "1" });
    expect(await calculate({ worker: "solver-b" })).toMatchObject({ claimed: 0 });
    await expireLeases();

    expect(await calculate({ worker: "solver-b" })).toMatchObject({ claimed: 1, state: "CALCULATED" });
    expect(await world.run(runId)).toMatchObject({ state: "CALCULATED", fence: "2", calculations: 2 });
    expect(await actsOf(runId)).toEqual(["planning.requested", "planning.started", "planning.taken-over", "planning.calculated"]);
  });

  it("that comes back late, with another solver at work, writes nothing: the run is not its own any more", async () => {
    await world.visit("09:00", { status: "REQUESTED" });
    const runId = await ask();
    let isLate = true;
    setTestPoint("planning.afterSolve", async () => {
      if (!isLate) return;
      isLate = false;
      await expireLeases();
      setTestPoint("planning.afterClaim", () => {
        throw new Error("the second one dies after its claim");
      });
      await calculate({ worker: "solver-b" }).catch(() => {});
    });

    expect(await calculate()).toMatchObject({ state: "FENCED" });
    expect(await world.run(runId)).toMatchObject({ state: "CALCULATING", fence: "2", moves: null });
    expect(await sourcesOf(runId)).toEqual([]);
  });

  it("after solver that dies over it gives a run up", async () => {
    const runId = await ask();
    setTestPoint("planning.afterClaim", () => {
      throw new Error("killed");
    });
    for (let death = 1; death <= 5; death++) {
      await calculate().catch(() => {});
      await expireLeases();
    }
    clearTestPoints();

    await calculate();
    expect(await world.run(runId)).toMatchObject({ state: "FAILED", ended_reason: "SOLVER_LOST", calculations: 5 });
  });

  it("whose engine fails ends the run, with the reason", async () => {
    const runId = await ask();

    expect(await calculate({ solve: () => Promise.reject(new Error("the checker found fault")) })).toMatchObject({ state: "FAILED" });
    expect(await world.run(runId)).toMatchObject({ state: "FAILED", ended_reason: "SOLVER_FAILED" });
  });

  it("hears within a look that a person cancelled, and ends the run", async () => {
    const runId = await ask();
    const waits: SolverDeps["solve"] = (_, __, hooks) =>
      new Promise((_resolve, reject) => {
        hooks?.signal?.addEventListener("abort", () => reject(new Error("cancelled")));
        void cancelRun(world.deps, world.call(world.staff), runId);
      });

    expect(await calculate({ solve: waits }, undefined, 20)).toMatchObject({ state: "DISCARDED" });
    expect(await world.run(runId)).toMatchObject({ state: "DISCARDED", ended_reason: "CANCELLED", lease_owner: null });
  });

  it("hears of a cancel before it lays the problem out, and solves nothing", async () => {
    const runId = await ask();
    let solves = 0;
    setTestPoint("planning.afterSnapshot", () => cancelRun(world.deps, world.call(world.staff), runId));

    const counted: SolverDeps["solve"] = (problem, options) => {
      solves += 1;
      return solve(problem, options);
    };
    expect(await calculate({ solve: counted }, undefined, 60_000)).toMatchObject({ state: "DISCARDED" });
    expect(solves).toBe(0);
    expect(await world.run(runId)).toMatchObject({ state: "DISCARDED", ended_reason: "CANCELLED" });
  });

  it("that is told to stop gives its run back, and no death is counted", async () => {
    const runId = await ask();
    const stopping = new AbortController();
    const waits: SolverDeps["solve"] = (_, __, hooks) =>
      new Promise((_resolve, reject) => {
        hooks?.signal?.addEventListener("abort", () => reject(new Error("stopped")));
        stopping.abort();
      });

    expect(await calculate({ solve: waits }, stopping.signal)).toMatchObject({ state: "REQUESTED" });
    expect(await world.run(runId)).toMatchObject({ state: "REQUESTED", calculations: 0, lease_owner: null });
    expect(await calculate()).toMatchObject({ state: "CALCULATED" });
  });

  it("shows how far it is, and holds its lease meanwhile", async () => {
    const runId = await ask();
    const slow: SolverDeps["solve"] = async (problem, options, hooks) => {
      hooks?.onProgress?.({ phase: "search", elapsedMs: 7, rounds: 1, cost: 3, bound: 1, unassigned: 0 });
      await db.superuser.$client`update planning_runs set lease_until = clock_timestamp() + interval '1 ms' where id = ${runId}`;
      const isHeld = async () => {
        const { progress, lease_until: until } = await world.run(runId);
        return (progress as { cost?: number } | null)?.cost === 3 && new Date(String(until)).getTime() > Date.now() + 10_000;
      };
      while (!(await isHeld())); // it is for the looks to make it so: else this never ends
      return solve(problem, options);
    };

    expect(await calculate({ solve: slow }, undefined, 20)).toMatchObject({ state: "CALCULATED" });
    expect((await world.run(runId)).progress).toBeNull();
  });

  it("of two at once takes each run once", async () => {
    await ask();

    const ends = await Promise.all([calculate(), calculate({ worker: "solver-b" })]);
    expect(ends.map(({ claimed }) => claimed).sort()).toEqual([0, 1]);
  });
});
