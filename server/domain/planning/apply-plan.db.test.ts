import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Tx, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { applyPlan } from "./apply-plan";
import { HeldScope } from "./held-scope";
import { planningFactVersion } from "./snapshot/planning-fact-version";
import { PlanningWorld } from "./testing";

let db: TestDatabase;
let world: PlanningWorld;
beforeAll(async () => {
  db = await createTestDatabase();
  world = await PlanningWorld.open(db);
});
beforeEach(() => world.nextDay());
afterEach(async () => {
  clearTestPoints();
  expect(await world.overbooked()).toBe(0);
});
afterAll(() => db.close());

const changeOf = async (work: () => Promise<unknown>) => {
  const before = await world.written();
  await work();
  const after = await world.written();
  return Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - before[name as keyof typeof before]]));
};
const nothing = { history: 0, events: 0, intents: 0, versions: 0 };

describe("an apply of a plan that rests on what is there", () => {
  it("writes one version, history row, event and message for each visit that moves, and nothing for the rest", async () => {
    const [moved, stays] = [await world.visit("09:00"), await world.visit("11:00")];
    const runId = await world.calculated([{ visit: moved, at: "10:00" }]);

    const change = await changeOf(async () => {
      expect(await world.apply(runId)).toMatchObject({
        outcome: "APPLIED",
        reached: "DONE",
        written: 1,
        sourcesCompared: 2,
        sourcesBehind: 0,
        casFailures: 0,
      });
    });

    expect(change).toEqual({ history: 1, events: 1, intents: 1, versions: 1, attempts: 1 });
    expect(await world.row(moved)).toMatchObject({ version: "2", placement_version: "2", status: "CONFIRMED" });
    expect(await world.row(stays)).toMatchObject({ version: "1", placement_version: "1" });
    expect(await world.run(runId)).toMatchObject({ state: "APPLIED", apply_attempts: 1, apply_by_ref: world.staff.ref });
    const [event] = await db.superuser.$client`select * from outbox where aggregate_id = ${moved.id}`;
    expect(event).toMatchObject({
      type: "AppointmentRescheduled",
      aggregate_seq: "2",
      command_id: (await world.run(runId)).apply_command_id,
    });
    const [entry] = await db.superuser.$client`select * from appointment_history where appointment_id = ${moved.id}`;
    expect(entry).toMatchObject({
      version: "2",
      change: "RESCHEDULED",
      actor_ref: world.staff.ref,
      actor_role: "STAFF",
      reason_code: "CLINIC_REQUEST",
    });
    const [intent] = await db.superuser.$client`select kind from notification_intents where appointment_id = ${moved.id}`;
    expect(intent?.kind).toBe("MOVED");
  });

  it("lets two visits change places, and a chain of them move up", async () => {
    const [first, second, third] = [await world.visit("09:00"), await world.visit("09:30"), await world.visit("10:00")];
    const runId = await world.calculated([
      { visit: first, at: "09:30" },
      { visit: second, at: "10:00" },
      { visit: third, at: "09:00" },
    ]);

    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED", written: 3 });
  });

  it("keeps the status of a visit, and confirms one that waited for a new time", async () => {
    const [asked, waits] = [
      await world.visit("09:00", { status: "REQUESTED" }),
      await world.visit("10:00", { status: "PENDING_RESCHEDULE" }),
    ];
    const runId = await world.calculated([
      { visit: asked, at: "11:00" },
      { visit: waits, at: "10:00" },
    ]);

    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED", written: 2 });
    expect((await world.row(asked)).status).toBe("REQUESTED");
    expect((await world.row(waits)).status).toBe("CONFIRMED");
    const [held] = await db.superuser.$client`select count(*)::int4 as n from resource_claims where appointment_id = ${waits.id}`;
    expect(held?.n).toBe(2);
  });

  it("takes the devices and rooms of the new place", async () => {
    const scan = await world.visit("09:00", { treatment: "ULTRASOUND" });
    const runId = await world.calculated([{ visit: scan, at: "14:00" }]);

    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED" });
    const [used] = await db.superuser.$client`select lower(during) as at from appointment_equipment where appointment_id = ${scan.id}`;
    expect(new Date(used?.at).toISOString()).toBe(new Date(await world.instant("14:00")).toISOString());
  });

  it("leaves a visit without a place as it is", async () => {
    const [moved, none] = [await world.visit("09:00"), await world.visit("11:00", { status: "PENDING_RESCHEDULE" })];
    const runId = await world.calculated([{ visit: moved, at: "10:00" }], { unplaced: [none] });

    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED", written: 1 });
    expect(await world.row(none)).toMatchObject({ version: "1", status: "PENDING_RESCHEDULE" });
  });
});

describe("the right to apply", () => {
  it("is STAFF's: the front desk, which may ask and watch, is refused by name", async () => {
    const runId = await world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);

    expect(await changeOf(() => expect(world.apply(runId, world.desk)).rejects.toMatchObject({ code: "right-missing" }))).toMatchObject(
      nothing,
    );
  });

  it("that was taken away between the page and the click is missed in the apply's own transaction", async () => {
    const person = await world.person("STAFF");
    const runId = await world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);
    await db.superuser.$client`delete from user_roles where user_id = ${person.userId}`;

    expect(await changeOf(() => expect(world.apply(runId, person)).rejects.toMatchObject({ code: "right-missing" }))).toMatchObject(
      nothing,
    );
    expect((await world.run(runId)).state).toBe("CALCULATED");
  });

  it("ends at the clinic: a run of another one is not there", async () => {
    const runId = await world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);
    const { nyc } = world.fixture.t1;
    const stranger = { ...world.staff, clinicIds: [nyc.id], roles: [{ role: "STAFF" as const, clinicId: nyc.id }] };

    const call = { ...world.call(stranger), clinicId: nyc.id };
    await expect(applyPlan(world.deps, call, runId)).rejects.toMatchObject({ code: "right-missing" });
    await expect(applyPlan(world.deps, world.call(stranger), runId)).rejects.toMatchObject({ code: "not-found" });
  });
});

describe("a transaction that is not SERIALIZABLE", () => {
  it.each(["read committed", "repeatable read"] as const)(
    "such as a %s one gets no hold of the scope, without which nothing is applied",
    async (isolation) => {
      const runId = await world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);
      const { tenantGroupId, id: clinicId } = world.clinic;

      const holding = withTx(db.web, world.staff, (tx) => HeldScope.lock(tx, { tenantGroupId, clinicId, runId, run: 1 }), { isolation });

      await expect(holding).rejects.toThrow(`not by a ${isolation} one`);
    },
  );
});

describe("a plan of a release that framed its facts in another way", () => {
  it("is stale, although no fact has changed", async () => {
    const moved = await world.visit("09:00");
    const runId = await world.calculated([{ visit: moved, at: "10:00" }]);
    const older = planningFactVersion(await world.snapshot(), "pf:v0");
    expect(older.version).not.toBe(planningFactVersion(await world.snapshot()).version);
    await db.superuser.$client`
      update planning_runs set fact_version = ${older.version}, fact_groups = ${JSON.stringify(older.groups)}::jsonb where id = ${runId}`;

    expect(
      await changeOf(async () => expect(await world.apply(runId)).toMatchObject({ outcome: "STALE_REJECTED", staleKind: "FACTS" })),
    ).toMatchObject(nothing);
    expect((await world.row(moved)).version).toBe("1");
  });
});

describe("a second call", () => {
  it("under the same key gets the stored answer and writes nothing", async () => {
    const runId = await world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);
    const key = newUuid();
    const first = await world.apply(runId, world.staff, key);

    expect(await changeOf(async () => expect(await world.apply(runId, world.staff, key)).toEqual(first))).toMatchObject({
      ...nothing,
      attempts: 0,
    });
  });

  it("of somebody else at the same moment finds the run applied: the visits moved once", async () => {
    const moved = await world.visit("09:00");
    const runId = await world.calculated([{ visit: moved, at: "10:00" }]);
    const other = await world.person("STAFF");

    const ends = await Promise.allSettled([world.apply(runId), world.apply(runId, other)]);

    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const refusal = ends.find((end) => end.status === "rejected")?.reason as Error;
    expect(JSON.parse(refusal.message)).toMatchObject({ code: "action-not-allowed", why: "ENDED" });
    expect((await world.row(moved)).version).toBe("2");
  });

  it("of a stale run is refused by the server too, whatever a screen offers", async () => {
    const moved = await world.visit("09:00");
    const runId = await world.calculated([{ visit: moved, at: "10:00" }]);
    await world.absence(db.superuser.$client, 0, "16:00", "17:00");
    await world.apply(runId);

    await expect(world.apply(runId)).rejects.toThrow("STALE");
  });
});

describe("a plan that would double book", () => {
  it("is refused by the database when its checker let two visits into one place: nothing is written", async () => {
    const [one, two] = [await world.visit("09:00"), await world.visit("09:30")];
    const runId = await world.calculated([
      { visit: one, at: "14:00" },
      { visit: two, at: "14:00" },
    ]);

    const change = await changeOf(async () => {
      expect(await world.apply(runId)).toMatchObject({
        outcome: "STALE_REJECTED",
        staleKind: "CAPACITY",
        reached: "WRITE",
        written: 0,
        capacity: { kind: "DOCTOR", ref: world.clinic.doctors[0]?.ref },
      });
    });
    expect(change).toMatchObject({ ...nothing, attempts: 1 });
    expect(await world.run(runId)).toMatchObject({ state: "STALE_REJECTED", stale_kind: "CAPACITY" });
  });

  it("is refused by the database when no version is compared: a visit that was moved into the place keeps it", async () => {
    const [one, rival] = [await world.visit("09:00"), await world.visit("11:00")];
    const runId = await world.calculated([{ visit: one, at: "14:00" }]);
    await moveByHand(rival.id, "14:00");
    await db.superuser.$client`
      update planning_run_sources s set expected_version = case kind when 'VERSION' then a.version else a.placement_version end
      from appointments a where a.id = s.appointment_id and s.run_id = ${runId}`;

    expect(await changeOf(async () => expect(await world.apply(runId)).toMatchObject({ staleKind: "CAPACITY" }))).toMatchObject(nothing);
  });

  it("is refused by the database when the facts are not asked: a patient is in one place at a time", async () => {
    const [one, other] = [await world.visit("09:00", { patient: 7 }), await world.visit("14:00", { patient: 7, doctor: 1 })];
    const runId = await world.calculated([{ visit: one, at: "14:00" }]);

    expect(await world.apply(runId)).toMatchObject({ staleKind: "CAPACITY", capacity: { kind: "PATIENT", ref: null } });
    expect((await world.row(other)).version).toBe("1");
  });

  it("into a time that has gone by is refused: nobody is moved into the past", async () => {
    const runId = await world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);
    await db.superuser.$client`
      update planning_run_moves set to_starts_at = now() - interval '1 day', to_ends_at = now() - interval '23 hours' where run_id = ${runId}`;

    expect(await changeOf(async () => expect(await world.apply(runId)).toMatchObject({ staleKind: "TIME" }))).toMatchObject(nothing);
  });
});

describe("the compare-and-set of the moves", () => {
  it("alone refuses a version that came after the rows were compared: the whole statement is undone", async () => {
    const [one, two] = [await world.visit("09:00"), await world.visit("09:30")];
    const runId = await world.calculated([
      { visit: one, at: "14:00" },
      { visit: two, at: "14:30" },
    ]);
    // within the apply's own transaction, so that no lock and no isolation level stands in front of the compare-and-set
    setTestPoint("planning.rowsLocked", async (detail) => {
      await (detail as { tx: Tx }).tx.sql`update appointments set version = version + 1 where id = ${two.id}`;
    });

    expect(await world.apply(runId)).toMatchObject({
      outcome: "STALE_REJECTED",
      staleKind: "VERSIONS",
      reached: "WRITE",
      casFailures: 1,
      written: 0,
    });
    expect(await world.row(one)).toMatchObject({ version: "1" });
    const [moved] = await db.superuser
      .$client`select count(*)::int4 as n from appointment_history where appointment_id = any (${[one.id, two.id]}::uuid[])`;
    expect(moved?.n).toBe(0);
  });
});

describe("an apply that breaks off", () => {
  for (const point of ["scopeLocked", "factsLoaded", "resourcesLocked", "rowsLocked", "movesWritten"])
    it(`at ${point} leaves nothing, and the next one does it all`, async () => {
      const runId = await world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);
      const broken = new Error("broken off");
      setTestPoint(`planning.${point}`, () => {
        throw broken;
      });

      expect(await changeOf(() => expect(world.apply(runId)).rejects.toBe(broken))).toMatchObject({ ...nothing, attempts: 0 });
      expect((await world.run(runId)).state).toBe("CALCULATED");
      clearTestPoints();
      expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED", attempt: 1 });
    });
});

const moveByHand = async (id: string, at: string) => {
  const starts = await world.instant(at);
  await withTx(db.migrator, {}, async (tx) => {
    await tx.sql`
      update appointments
      set version = version + 1, placement_version = placement_version + 1, starts_at = ${starts}, ends_at = ${starts}::timestamptz + interval '30 minutes'
      where id = ${id}`;
    await tx.sql`
      update resource_claims set during = tstzrange(${starts}, ${starts}::timestamptz + interval '30 minutes') where appointment_id = ${id}`;
  });
};
