// The fence against everybody who writes at the same moment. Each race is opened at a named point, with a second connection; after each, either all rows
// and versions match or nothing was written.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { closeDb, openDb, type Tx, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { untilSomebodyWaits } from "@/db/testing/until-somebody-waits";
import { changeStatus } from "@/server/domain/appointments/change-status";
import { createAppointment } from "@/server/domain/appointments/create-appointment";
import { rescheduleAppointment } from "@/server/domain/appointments/reschedule-appointment";
import { insertAbsence } from "@/server/domain/clinics/set-up";
import { testDeps } from "@/server/domain/deliveries/testing";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { PlanningWorld, type TestVisit } from "./testing";
import { blindAbsence, factWriters, openWriter, pointsUnderLock } from "./testing/writers";

let db: TestDatabase;
let world: PlanningWorld;
let moved: TestVisit;
let stays: TestVisit;
let runId: string;
let target: string;
beforeAll(async () => {
  db = await createTestDatabase();
  world = await PlanningWorld.open(db);
});
/** One visit that moves from 9 to 10, and one at 11 that stays. */
beforeEach(async () => {
  world.nextDay();
  moved = await world.visit("09:00");
  stays = await world.visit("11:00");
  runId = await world.calculated([{ visit: moved, at: "10:00" }]);
  target = await world.instant("10:00");
});
afterEach(async () => {
  clearTestPoints();
  await allOrNothing();
});
afterAll(() => db.close());

/** The visit is where the run's state says, with one history row for its version, and nothing is booked twice. */
async function allOrNothing() {
  const { state } = await world.run(runId);
  const [{ starts_at: startsAt, version }] = [await world.row(moved)] as [Record<string, string>];
  const [counts] = await db.superuser.$client`
    select (select count(*)::int4 from appointment_history where appointment_id = ${moved.id} and change = 'RESCHEDULED' and actor_role = 'STAFF') as history,
      (select count(*)::int4 from outbox where aggregate_id = ${moved.id} and type = 'AppointmentRescheduled' and command_id = (select apply_command_id from planning_runs where id = ${runId})) as events`;
  if (state === "APPLIED") expect([counts?.history, counts?.events, Number(version) >= 2]).toEqual([1, 1, true]);
  else expect(counts?.history).toBe(0);
  if (state === "APPLIED") expect(new Date(startsAt as string).toISOString()).toBe(new Date(target).toISOString());
  expect(await world.overbooked()).toBe(0);
}

/** Holds the first one that comes to the point, until it is let go; what comes later passes. */
function heldAt(point: string) {
  let release: () => void = () => {};
  const isFree = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    setTestPoint(point, () => {
      clearTestPoints();
      resolve();
      return isFree;
    });
  });
  return { reached, release };
}

const blind = () => blindAbsence(world, db.superuser.$client);

describe("a fact that changes", () => {
  it("between calculation and apply makes the plan stale, and only its own group differs", async () => {
    await withTx(db.migrator, {}, (tx) =>
      insertAbsence(
        tx,
        { tenantGroupId: world.clinic.tenantGroupId, id: world.clinic.id, zone: "Europe/Berlin" },
        {
          doctorId: world.clinic.doctors[1]?.id as string,
          from: `${world.day}T09:00`,
          until: `${world.day}T10:00`,
        },
      ),
    );

    const result = await world.apply(runId);

    expect(result).toMatchObject({
      outcome: "STALE_REJECTED",
      staleKind: "FACTS",
      reached: "FACTS",
      written: 0,
      casFailures: 0,
      sourcesCompared: 2,
    });
    const groups = Object.entries(result.factGroups ?? {}).filter(([, pair]) => pair.expected !== pair.found);
    expect(groups.map(([group]) => group)).toEqual(["doctors"]);
    expect(await world.run(runId)).toMatchObject({ state: "STALE_REJECTED", stale_kind: "FACTS" });
  });

  it("and back again is the same fact: the plan applies", async () => {
    await blind();
    await db.superuser.$client`delete from absences where clinic_id = ${world.clinic.id} and local_from::date = ${world.day}`;

    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED" });
  });

  it.each(factWriters)("in the hands of %s is waited for, and never missed", async (_who, open) => {
    const writer = await open(world, db.superuser.$client);
    const applying = world.apply(runId);
    await untilSomebodyWaits(db.superuser, applying);
    await writer.end("commit");

    expect(await applying).toMatchObject({ outcome: "STALE_REJECTED", staleKind: "FACTS", runs: 2 });
  });

  it.each(factWriters)("in the hands of %s that rolls back is no fact: the plan applies", async (_who, open) => {
    const writer = await open(world, db.superuser.$client);
    const applying = world.apply(runId);
    await untilSomebodyWaits(db.superuser, applying);
    await writer.end("rollback");

    expect(await applying).toMatchObject({ outcome: "APPLIED" });
  });

  it("between the call and its first query makes the plan stale", async () => {
    setTestPoint("planning.beforeScopeLock", blind);

    expect(await world.apply(runId)).toMatchObject({ outcome: "STALE_REJECTED", staleKind: "FACTS" });
  });

  it.each(pointsUnderLock)("at %s waits until the apply has ended: no bump lies between its facts and its commit", async (point) => {
    let writing: Promise<unknown> = Promise.resolve();
    setTestPoint(`planning.${point}`, async () => {
      writing = blind();
      await untilSomebodyWaits(db.superuser, writing);
    });

    const result = await world.apply(runId);
    await writing;

    expect(result).toMatchObject({ outcome: "APPLIED", runs: 1 });
    const [attempt] = await world.attempts(runId);
    const [scope] = await db.superuser.$client`select fact_version from planning_scopes where clinic_id = ${world.clinic.id}`;
    expect(BigInt(scope?.fact_version)).toBe(BigInt(attempt?.scope_fact_version) + 1n);
  });
});

describe("two plans that finish together", () => {
  it("and move one visit: one is applied, the other refused by the version that it met", async () => {
    const other = await world.calculated([{ visit: moved, at: "14:00" }]);

    const ends = await Promise.all([world.apply(runId), world.apply(other)]);

    expect(ends.map(({ outcome }) => outcome).sort()).toEqual(["APPLIED", "STALE_REJECTED"]);
    const refused = ends.find(({ outcome }) => outcome === "STALE_REJECTED");
    expect(refused).toMatchObject({
      staleKind: "VERSIONS",
      reached: "CAS",
      casFailures: 1,
      behind: [{ ref: moved.ref, kind: "VERSION", from: "1", to: "2" }],
    });
    if (ends[0]?.outcome !== "APPLIED") runId = other;
  });

  it("and move different visits of one range: the second was calculated around the first's old place", async () => {
    const other = await world.calculated([{ visit: stays, at: "14:00" }]);

    const ends = await Promise.all([world.apply(runId), world.apply(other)]);

    expect(ends.map(({ outcome }) => outcome).sort()).toEqual(["APPLIED", "STALE_REJECTED"]);
    expect(ends.find(({ outcome }) => outcome === "STALE_REJECTED")).toMatchObject({
      staleKind: "VERSIONS",
      behind: [{ from: "1", to: "2" }],
    });
  });

  it("for different days of one clinic are both applied, the one after the other", async () => {
    const first = runId;
    world.nextDay();
    const other = await world.calculated([{ visit: await world.visit("09:00"), at: "10:00" }]);

    const ends = await Promise.all([world.apply(first), world.apply(other)]);

    expect(ends.map(({ outcome }) => outcome)).toEqual(["APPLIED", "APPLIED"]);
  });
});

describe("the desk goes on meanwhile", () => {
  const deskCall = (visit?: TestVisit) => ({
    ...world.call(world.desk),
    ...(visit ? { appointmentId: visit.id, expectedVersion: "1" } : {}),
  });
  const book = async (at: string, doctor = 0) =>
    createAppointment(world.deps, deskCall(), {
      patient: { id: world.fixture.t1.patients[39]?.id as string },
      treatmentId: world.clinic.treatments.VISIT15,
      doctorId: world.clinic.doctors[doctor]?.id as string,
      startsAt: await world.instant(at),
    });

  it("a booking elsewhere does not make a plan stale", async () => {
    expect((await book("15:00")).status).toBe(201);

    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED" });
  });

  it("a booking in the way is kept: the plan is refused for want of room", async () => {
    expect((await book("10:00")).status).toBe(201);

    expect(await world.apply(runId)).toMatchObject({ outcome: "STALE_REJECTED", staleKind: "CAPACITY", capacity: { kind: "DOCTOR" } });
  });

  it("a booking in the way that comes while the plan is applied is refused, as any other of that time", async () => {
    const writing = heldAt("planning.movesWritten");
    const applying = world.apply(runId);
    await writing.reached;
    const booking = book("10:00");
    await untilSomebodyWaits(db.superuser, booking);
    writing.release();

    expect(await applying).toMatchObject({ outcome: "APPLIED" });
    expect(await booking).toMatchObject({ status: 409 });
  });

  it("a booking in the way that is under way when the plan comes is seen: no place is given twice", async () => {
    const booked = heldAt("command.worked");
    const booking = book("10:00");
    await booked.reached;
    const applying = world.apply(runId);
    await untilSomebodyWaits(db.superuser, applying);
    booked.release();

    expect((await booking).status).toBe(201);
    expect(await applying).toMatchObject({ outcome: "STALE_REJECTED", staleKind: "CAPACITY" });
  });

  it("a check-in of a visit that stays does not make a plan stale", async () => {
    await db.superuser.$client`update appointments set status = 'CHECKED_IN', version = version + 1 where id = ${stays.id}`;

    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED", sourcesBehind: 0 });
  });

  it("a visit that was completed where it was does not make a plan stale", async () => {
    await db.superuser.$client`
      update appointments set status = 'COMPLETED', version = version + 1, placement_version = placement_version + 1 where id = ${stays.id}`;

    expect(await world.apply(runId)).toMatchObject({ outcome: "APPLIED" });
  });

  it("a check-in of the visit that moves refuses the plan: who is there is not moved", async () => {
    await db.superuser.$client`update appointments set status = 'CHECKED_IN', version = version + 1 where id = ${moved.id}`;

    expect(await world.apply(runId)).toMatchObject({
      staleKind: "VERSIONS",
      casFailures: 1,
      behind: [{ ref: moved.ref, from: "1", to: "2" }],
    });
  });

  it("a visit that was moved by hand refuses the plan, by its name and both versions", async () => {
    await rescheduleAppointment(world.deps, deskCall(moved) as never, { startsAt: await world.instant("16:00") });

    expect(await world.apply(runId)).toMatchObject({
      outcome: "STALE_REJECTED",
      staleKind: "VERSIONS",
      reached: "CAS",
      casFailures: 1,
      behind: [{ ref: moved.ref, kind: "VERSION", from: "1", to: "2" }],
    });
  });

  it("a visit that stays and was moved by hand refuses it too, by its placement", async () => {
    await rescheduleAppointment(world.deps, deskCall(stays) as never, { startsAt: await world.instant("16:00") });

    expect(await world.apply(runId)).toMatchObject({
      staleKind: "VERSIONS",
      behind: [{ ref: stays.ref, kind: "PLACEMENT", from: "1", to: "2" }],
    });
  });

  it("a place that was given back refuses it: the plan was calculated around it", async () => {
    await changeStatus(world.deps, deskCall(stays) as never, { to: "PENDING_RESCHEDULE", reasonCode: "OTHER" });

    expect(await world.apply(runId)).toMatchObject({ staleKind: "VERSIONS", behind: [{ ref: stays.ref, kind: "PLACEMENT" }] });
  });

  it("direct SQL that has a visit in its hands is waited for, although it asked for no scope", async () => {
    const writer = await openWriter(
      db.superuser.$client,
      (sql) => sql`update appointments set version = version + 1, placement_version = placement_version + 1 where id = ${stays.id}`,
    );
    const applying = world.apply(runId);
    await untilSomebodyWaits(db.superuser, applying);
    await writer.end("commit");

    expect(await applying).toMatchObject({ outcome: "STALE_REJECTED", staleKind: "VERSIONS", behind: [{ ref: stays.ref }] });
  });
});

describe("what SERIALIZABLE remembers of an apply", () => {
  it("is rows and pages of indexes, never a whole table: strangers' applies would abort each other", async () => {
    let scanned: string[] | undefined;
    setTestPoint("planning.movesWritten", async (detail) => {
      // facts are written by nobody who is SERIALIZABLE; what counts is read by one apply and written by another
      const rows = await (detail as { tx: Tx }).tx.sql`
        select relname from pg_stat_xact_user_tables
        where seq_scan > 0 and (relname ~ '^(planning_run|planning_apply|appointment|resource_claims|resources|outbox|notification_intents|audit_entries)')`;
      scanned = rows.map(({ relname }) => relname);
    });

    await db.superuser.$client`analyze`; // it is known now how small the tables are: a scan would be cheaper
    // a connection of its own: on another one a trigger's plan may be kept from before
    const fresh = openDb(db.urls.web, { max: 1, applicationName: "test" });
    try {
      expect(await world.apply(runId, world.staff, newUuid(), testDeps(fresh))).toMatchObject({ outcome: "APPLIED" });
    } finally {
      await closeDb(fresh);
    }
    expect(scanned).toEqual([]);
  });
});
