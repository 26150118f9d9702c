// Facts that the desk writes: once for a key, by version, audited and announced, with the visits that they leave without a place; and nothing is moved.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { withRead } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { parseDigestKeys } from "@/server/canonical-hash";
import { changeStatus } from "@/server/domain/appointments/change-status";
import { createAppointment } from "@/server/domain/appointments/create-appointment";
import type { CommandAnswer } from "@/server/domain/idempotency/types";
import type { PersonActor, Role } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { changeHours } from "./change-hours";
import type { FactWish } from "./fact-types";
import { listFacts } from "./list-facts";
import { addDays, toIso } from "./local-time";
import { getHours, previewFact, previewHours } from "./preview-fact";
import { type ClinicFixture, createClinicFixture, type FixtureClinic, usualHours, workdays } from "./testing";
import { addFact, changeFact, endFact } from "./write-facts";

let db: TestDatabase;
let world: ClinicFixture;
let ber: FixtureClinic;
const digestKeys = parseDigestKeys(`k1:${Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64")}`);
const deps = () => ({ db: db.web, digestKeys, retentionHours: 24, waitMs: 2_000 });

/** Tuesdays of the coming weeks, each for one test. 09:00 to 11:00 and 12:00 to 15:00 UTC are open in Berlin all year. */
const firstTuesday = (() => {
  const today = toIso(Date.now()).slice(0, 10);
  const ahead = (9 - new Date(`${today}T00:00Z`).getUTCDay()) % 7 || 7;
  return addDays(today, ahead);
})();
let week = 0;
const nextTuesday = () => addDays(firstTuesday, 7 * week++);

beforeAll(async () => {
  db = await createTestDatabase();
  world = await createClinicFixture(db.migrator);
  ber = world.t1.ber;
});
afterEach(clearTestPoints);
afterAll(() => db.close());

const call = (roles: Role[] = ["FRONT_DESK", "ADMIN"], key = `key-${newUuid()}`) => {
  const actor: PersonActor = {
    kind: "person",
    tenantGroupId: world.t1.tenantGroupId,
    clinicIds: [ber.id],
    userId: newUuid(),
    ref: "ST-000001",
    roles: roles.map((role) => ({ role, clinicId: ber.id })),
  };
  return { actor, clinicId: ber.id, key, requestId: newUuid(), method: "POST", body: {} as unknown };
};
const doctor = (n: number) => ber.doctors[n]?.id as string;
const bodyOf = (answer: CommandAnswer) => JSON.parse(answer.body);
const add = (wish: FactWish, as = call()) => addFact(deps(), { ...as, body: wish.input }, wish);
const changed = (factId: string, version: string, wish: FactWish, as = call()) =>
  changeFact(deps(), { ...as, body: wish.input, factId, expectedVersion: version }, wish);
const ended = (factId: string, version: string, kind: FactWish["kind"], as = call()) =>
  endFact(deps(), { ...as, factId, expectedVersion: version }, kind);
const book = (startsAt: string, patient: number, treatment: keyof FixtureClinic["treatments"] = "VISIT30", doctorId = doctor(0)) =>
  createAppointment(deps(), call(), {
    patient: { id: world.t1.patients[patient]?.id as string },
    treatmentId: ber.treatments[treatment],
    doctorId,
    startsAt,
  });
const sql = () => db.superuser.$client;
const scope = async () =>
  (await sql()`select fact_version::text, event_seq::text from planning_scopes where clinic_id = ${ber.id}`)[0] as {
    fact_version: string;
    event_seq: string;
  };
const leftOf = async (commandId: string) => ({
  changes:
    await sql()`select fact_table, change, actor_kind, actor_ref, fact_id from fact_changes where command_id = ${commandId} order by id`,
  events: await sql()`select type, aggregate_type, aggregate_seq::text, partition_key, payload from outbox where command_id = ${commandId}`,
  audits:
    await sql()`select act, result, reason_code, actor_role, subject_type, details from audit_entries where command_id = ${commandId}`,
});

const absenceOn = (date: string, n = 0, from = "09:00", until = "17:00"): FactWish => ({
  kind: "absence",
  input: { doctorId: doctor(n), from: `${date}T${from}`, until: `${date}T${until}`, reason: "At home" },
});

describe("a fact that is added", () => {
  it("is written once with its version, says who, announces itself in the clinic's order, and lists the visits that it leaves", async () => {
    const day = nextTuesday();
    const visit = bodyOf(await book(`${day}T09:00:00Z`, 0));
    const before = await scope();
    const wish = absenceOn(day);
    const first = await add(wish, { ...call(), key: "key-absence-000001" });
    const again = await add(wish, { ...call(), key: "key-absence-000001" });
    expect([first.status, again.status, again.replayed, again.body === first.body]).toEqual([201, 201, true, true]);
    const body = bodyOf(first);
    expect(body).toMatchObject({
      version: "1",
      state: "IN_FORCE",
      doctorId: doctor(0),
      from: `${day}T09:00`,
      until: `${day}T17:00`,
      affected: {
        count: 1,
        visits: [{ id: visit.id, ref: visit.ref, status: "CONFIRMED", patientRef: "PT-000001" }],
        days: [{ date: day, visits: 1 }],
      },
    });
    expect(first).toMatchObject({ etag: '"1"', location: `/api/v1/clinics/${ber.id}/absences/${body.id}` });
    expect(first.body).not.toContain("At home"); // what is stored under a key says nothing about a person
    const { changes, events, audits } = await leftOf(first.commandId);
    expect(changes).toEqual([
      { fact_table: "absences", change: "ADDED", actor_kind: "person", actor_ref: "ST-000001", fact_id: expect.any(String) },
    ]);
    expect(events).toMatchObject([
      {
        type: "ClinicFactChanged",
        aggregate_type: "clinic-facts",
        aggregate_seq: String(Number(before.event_seq) + 1),
        partition_key: `36:${ber.tenantGroupId}/36:${ber.id}`,
        payload: {
          fact: "ABSENCE",
          change: "ADDED",
          factId: body.id,
          doctorId: doctor(0),
          equipmentId: null,
          factVersion: body.factVersion,
        },
      },
    ]);
    expect(audits).toEqual([
      {
        act: "absence.added",
        result: "DONE",
        reason_code: null,
        actor_role: "FRONT_DESK",
        subject_type: "absence",
        details: { version: "1", affected: 1, factVersion: body.factVersion },
      },
    ]);
    expect(Number((await scope()).fact_version)).toBe(Number(before.fact_version) + 1);
    const [row] = await sql()`select status, version::text, starts_at from appointments where id = ${visit.id}`;
    expect(row).toMatchObject({ status: "CONFIRMED", version: "1" }); // nothing was moved
  });

  it("holds for bookings from then on", async () => {
    const day = nextTuesday();
    await add({ kind: "closure", input: { from: day, until: addDays(day, 1), reason: "Works" } });
    await add({ kind: "break", input: { doctorId: doctor(0), weekday: 4, from: "10:00", until: "10:30" } });
    expect(bodyOf(await book(`${day}T09:00:00Z`, 1)).blockers.map((one: { code: string }) => one.code)).toEqual(["CLOSED"]);
    const thursday = addDays(day, 2);
    const offset = new Date(`${thursday}T12:00Z`).getMonth() >= 3 && new Date(`${thursday}T12:00Z`).getMonth() <= 8 ? 2 : 1;
    const refused = bodyOf(await book(`${thursday}T${String(10 - offset).padStart(2, "0")}:00:00Z`, 1));
    expect(refused.blockers?.map((one: { code: string }) => one.code)).toEqual(["BREAK"]);
    const listed = await withRead(db.web, ber.scope, (tx) =>
      listFacts(tx, ber.scope, { clinicId: ber.id, fromDate: day, doctorId: doctor(0) }),
    );
    expect(listed.facts.map(({ kind, words }) => [kind, words])).toEqual(
      expect.arrayContaining([
        ["closure", "Works"],
        ["break", "Break"],
      ]),
    );
    const [pause] = listed.facts.filter(({ kind }) => kind === "break");
    expect((await ended(pause?.id as string, "1", "break")).status).toBe(200);
    expect((await book(`${thursday}T${String(10 - offset).padStart(2, "0")}:00:00Z`, 1)).status).toBe(201);
  });

  it("of a device: the visits that use it while more use it than units are left, and no others", async () => {
    const day = nextTuesday();
    const group = await Promise.all([0, 1, 2].map(async (n) => bodyOf(await book(`${day}T09:00:00Z`, n, "GROUP")).ref));
    bodyOf(await book(`${day}T12:00:00Z`, 3, "GROUP"));
    bodyOf(await book(`${day}T09:00:00Z`, 4, "VISIT30", doctor(1)));
    const outage = (units: number): FactWish => ({ kind: "outage", input: { equipmentId: ber.room.id, from: day, until: day, units } });
    const preview = (wish: FactWish) => withRead(db.web, ber.scope, (tx) => previewFact(tx, ber.scope, { clinicId: ber.id, wish }));
    expect((await preview(outage(7))).count).toBe(0);
    expect((await preview(outage(8))).visits.map(({ ref }) => ref).toSorted()).toEqual(group.toSorted());
    expect((await preview(outage(10))).count).toBe(4);
    const added = bodyOf(await add(outage(8)));
    expect(added).toMatchObject({ equipmentId: ber.room.id, units: 8, affected: { count: 3 } });
    expect((await preview(outage(2))).count).toBe(4); // with the one that is saved none is left at noon either
    const byItself = await withRead(db.web, ber.scope, (tx) =>
      previewFact(tx, ber.scope, { clinicId: ber.id, wish: outage(2), replaced: added.id }),
    );
    expect(byItself.count).toBe(0);
  });

  it("of a break: visits of the weekday that touch it, from now on", async () => {
    const day = nextTuesday();
    const visit = bodyOf(await book(`${day}T12:30:00Z`, 5, "VISIT15", doctor(1)));
    const clock = (at: string) =>
      new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Berlin", hour: "2-digit", minute: "2-digit" }).format(new Date(at));
    const wish = (doctorId: string | null, weekday: number | null): FactWish => ({
      kind: "break",
      input: { doctorId, weekday, from: clock(`${day}T12:35:00Z`), until: clock(`${day}T12:40:00Z`) },
    });
    const refs = async (one: FactWish) =>
      (await withRead(db.web, ber.scope, (tx) => previewFact(tx, ber.scope, { clinicId: ber.id, wish: one }))).visits.map(({ ref }) => ref);
    expect(await refs(wish(doctor(1), 2))).toEqual([visit.ref]);
    expect(await refs(wish(null, null))).toContain(visit.ref);
    expect(await refs(wish(doctor(0), 2))).not.toContain(visit.ref);
    expect(await refs(wish(doctor(1), 3))).not.toContain(visit.ref);
  });
});

describe("a fact that is changed or ended", () => {
  it("takes the version that was read; an older one is refused, and the refusal is what a retry reads", async () => {
    const day = nextTuesday();
    const { id } = bodyOf(await add(absenceOn(day)));
    const longer = await changed(id, "1", absenceOn(day, 0, "08:00", "18:00"));
    expect([longer.status, longer.etag, bodyOf(longer).from]).toEqual([200, '"2"', `${day}T08:00`]);
    expect((await leftOf(longer.commandId)).changes).toMatchObject([{ fact_table: "absences", change: "CHANGED" }]);
    const stale = { ...call(), key: "key-stale-absence-1" };
    for (const replayed of [false, true]) {
      const refused = await changed(id, "1", absenceOn(day), stale);
      expect([refused.status, bodyOf(refused).code, refused.replayed]).toEqual([412, "version-stale", replayed]);
      expect(bodyOf(refused).currentVersion).toBe("2");
    }
    expect((await ended(id, "1", "absence")).status).toBe(412);
    const other = await changed(id, "2", { kind: "absence", input: { ...absenceOn(day, 1).input, doctorId: doctor(1) } as never });
    expect(bodyOf(other)).toMatchObject({ doctorId: doctor(1), version: "3" });
  });

  it("is withdrawn when it has not begun, and over from this minute on when it is under way; what is over stays", async () => {
    const ahead = bodyOf(await add(absenceOn(nextTuesday())));
    const withdrawn = await ended(ahead.id, "1", "absence");
    expect(bodyOf(withdrawn)).toMatchObject({ state: "ENDED", version: "2", affected: { count: 0, visits: [], days: [] } });
    expect(await sql()`select 1 from absences where id = ${ahead.id}`).toEqual([]);
    expect((await leftOf(withdrawn.commandId)).changes).toMatchObject([{ change: "REMOVED", fact_id: ahead.id }]);

    const yesterday = addDays(toIso(Date.now()).slice(0, 10), -1);
    const running = bodyOf(await add({ kind: "closure", input: { from: yesterday, until: addDays(yesterday, 3) } }));
    const cut = await ended(running.id, "1", "closure");
    expect(Date.parse(bodyOf(cut).untilInstant)).toBeLessThanOrEqual(Date.now());
    expect((await leftOf(cut.commandId)).changes).toMatchObject([{ change: "CHANGED" }]);
    for (const refused of [
      await ended(running.id, "2", "closure"),
      await changed(running.id, "2", { kind: "closure", input: { from: yesterday, until: addDays(yesterday, 2) } }),
    ])
      expect([refused.status, bodyOf(refused).code]).toEqual([409, "fact-over"]);
  });

  it("of another kind, another clinic or nobody is not there", async () => {
    const day = nextTuesday();
    const { id } = bodyOf(await add(absenceOn(day)));
    await expect(ended(id, "1", "closure")).rejects.toMatchObject({ code: "not-found" });
    await expect(ended(newUuid(), "1", "absence")).rejects.toMatchObject({ code: "not-found" });
    const { nyc } = world.t1;
    const roles = [{ role: "FRONT_DESK" as const, clinicId: nyc.id }];
    const elsewhere = { ...call(), actor: { ...call().actor, clinicIds: [nyc.id], roles }, clinicId: nyc.id };
    await expect(ended(id, "1", "absence", elsewhere)).rejects.toMatchObject({ code: "not-found" });
    expect(await sql()`select version::text from absences where id = ${id}`).toEqual([{ version: "1" }]);
  });
});

describe("what cannot be", () => {
  it("is refused with a stable reason, stored under the key, and leaves no trace in the facts", async () => {
    const day = nextTuesday();
    const before = await scope();
    const cases: [FactWish, string][] = [
      [absenceOn(day, 0, "12:00", "12:00"), "PERIOD_EMPTY"],
      [absenceOn(day, 0, "12:00", "11:00"), "PERIOD_EMPTY"],
      [{ kind: "closure", input: { from: day, until: addDays(day, 800) } }, "PERIOD_TOO_LONG"],
      [{ kind: "closure", input: { from: "2020-01-01", until: "2020-01-02" } }, "OVER_ALREADY"],
      [{ kind: "closure", input: { from: "2027-03-28T02:10", until: "2027-03-28T02:50" } }, "PERIOD_EMPTY"], // the clock leaves that hour out
      [{ kind: "absence", input: { doctorId: world.t1.nyc.doctors[0]?.id as string, from: day, until: day } }, "DOCTOR_UNKNOWN"],
      [{ kind: "outage", input: { equipmentId: newUuid(), from: day, until: day } }, "EQUIPMENT_UNKNOWN"],
      [{ kind: "outage", input: { equipmentId: ber.ultrasound.id, from: day, until: day, units: 2 } }, "UNITS_TOO_MANY"],
      [{ kind: "break", input: { doctorId: null, weekday: null, from: "10:00", until: "10:00" } }, "INTERVAL_EMPTY"],
      [{ kind: "break", input: { doctorId: newUuid(), weekday: null, from: "10:00", until: "10:15" } }, "DOCTOR_UNKNOWN"],
    ];
    for (const [wish, why] of cases) {
      const refused = await add(wish);
      expect([refused.status, bodyOf(refused).code, bodyOf(refused).why]).toEqual([422, "fact-invalid", why]);
      await expect(withRead(db.web, ber.scope, (tx) => previewFact(tx, ber.scope, { clinicId: ber.id, wish }))).rejects.toMatchObject({
        code: "fact-invalid",
        extra: { why },
      });
    }
    expect(await scope()).toEqual(before);
  });

  it("needs the right of its kind: the desk's for what happens in a day, ADMIN's for the week", async () => {
    const wish = absenceOn(nextTuesday());
    await expect(add(wish, call(["ADMIN", "STAFF"]))).rejects.toMatchObject({ code: "right-missing", extra: { right: "FRONT_DESK" } });
    const hours = { ...call(["FRONT_DESK", "STAFF"]), factId: ber.id, expectedVersion: "1" };
    await expect(changeHours(deps(), hours, { doctorId: null, hours: [] })).rejects.toMatchObject({
      code: "right-missing",
      extra: { right: "ADMIN" },
    });
  });
});

describe("weekly hours", () => {
  const usual = workdays.flatMap((weekday) => usualHours.map(([from, until]) => ({ weekday, from, until })));
  const hoursOf = (doctorId: string | null) => withRead(db.web, ber.scope, (tx) => getHours(tx, ber.scope, ber.id, doctorId));
  const change = (doctorId: string | null, version: string, hours: typeof usual) =>
    changeHours(deps(), { ...call(["ADMIN"]), body: { hours }, factId: doctorId ?? ber.id, expectedVersion: version }, { doctorId, hours });

  it("are replaced as a whole, by their version; only what really changed is a change, and visits left outside are listed", async () => {
    const day = nextTuesday();
    const visit = bodyOf(await book(`${day}T09:00:00Z`, 6, "VISIT30", doctor(1)));
    const without = usual.filter(({ weekday, from }) => !(weekday === 2 && from === "09:00"));
    const preview = await withRead(db.web, ber.scope, (tx) =>
      previewHours(tx, ber.scope, { clinicId: ber.id, change: { doctorId: doctor(1), hours: without } }),
    );
    expect(preview.visits.map(({ ref }) => ref)).toContain(visit.ref);
    const done = await change(doctor(1), "1", without);
    expect([done.status, done.etag, bodyOf(done).affected]).toEqual([200, '"2"', preview]);
    expect(await hoursOf(doctor(1))).toMatchObject({ version: "2", hours: without });
    const { changes, events, audits } = await leftOf(done.commandId);
    expect(changes).toMatchObject([{ fact_table: "doctor_hours", change: "REMOVED", actor_ref: "ST-000001" }]);
    expect(events).toMatchObject([{ payload: { fact: "HOURS", change: "CHANGED", factId: doctor(1), doctorId: doctor(1), from: null } }]);
    expect(audits).toMatchObject([{ act: "hours.changed", actor_role: "ADMIN" }]);
    expect((await change(doctor(1), "1", usual)).status).toBe(412);
    expect((await change(doctor(1), "2", usual)).status).toBe(200);
  });

  it("of the clinic may run over midnight and round the week, but not over each other", async () => {
    const { version } = await hoursOf(null);
    const night = [...usual, { weekday: 7, from: "22:00", until: "02:00" }];
    for (const clash of [
      { weekday: 1, from: "01:00", until: "03:00" },
      { weekday: 1, from: "08:30", until: "09:30" },
    ]) {
      const refused = await change(null, version, [...night, clash]);
      expect([refused.status, bodyOf(refused).why]).toEqual([422, "HOURS_OVERLAP"]);
    }
    const done = await change(null, version, night);
    expect((await leftOf(done.commandId)).changes).toMatchObject([{ fact_table: "clinic_hours", change: "ADDED" }]);
    expect((await change(null, String(Number(version) + 1), usual)).status).toBe(200);
  });
});

describe("two connections", () => {
  function gate(point: string) {
    let reached!: () => void;
    let release!: () => void;
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    setTestPoint(point, () => {
      clearTestPoints();
      reached();
      return released;
    });
    return { isReached, release };
  }
  /** Until somebody waits for a lock of the database under test. */
  const untilSomebodyWaits = async () => {
    for (;;) {
      const [row] =
        await sql()`select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      if (row?.n > 0) return;
    }
  };

  it("a booking that is under way is seen by the closure that is saved meanwhile: it is listed", async () => {
    const day = nextTuesday();
    const held = gate("command.keyTaken");
    // held with its key only; then past its shared lock of the scope
    const booking = book(`${day}T09:00:00Z`, 7);
    await held.isReached;
    const second = gate("command.worked");
    held.release();
    await second.isReached;
    const closing = add({ kind: "closure", input: { from: day, until: day } });
    await untilSomebodyWaits();
    second.release();
    const { ref } = bodyOf(await booking);
    expect(bodyOf(await closing).affected.visits.map((visit: { ref: string }) => visit.ref)).toEqual([ref]);
  });

  it.each(["facts.locked", "facts.written"])("a closure that is held at %s refuses the booking that comes meanwhile", async (point) => {
    const day = nextTuesday();
    const held = gate(point);
    const closing = add({ kind: "closure", input: { from: day, until: day } });
    await held.isReached;
    const booking = book(`${day}T09:00:00Z`, 8);
    await untilSomebodyWaits();
    held.release();
    expect(bodyOf(await closing).affected.count).toBe(0);
    expect(bodyOf(await booking)).toMatchObject({ code: "not-available", blockers: [{ code: "CLOSED" }] });
  });

  it("two who change one fact from the same version: one does, the other is told", async () => {
    const day = nextTuesday();
    const { id } = bodyOf(await add(absenceOn(day)));
    const held = gate("facts.locked");
    const first = changed(id, "1", absenceOn(day, 0, "10:00", "12:00"));
    await held.isReached;
    const second = changed(id, "1", absenceOn(day, 0, "14:00", "15:00"));
    await untilSomebodyWaits();
    held.release();
    expect([(await first).status, (await second).status]).toEqual([200, 412]);
    expect(await sql()`select version::text, local_from from absences where id = ${id}`).toMatchObject([{ version: "2" }]);
  });

  it("many facts at once have one order without a gap, and one bump each at least", async () => {
    const day = nextTuesday();
    const before = await scope();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => add(absenceOn(day, n % 2, `${String(9 + (n >> 1)).padStart(2, "0")}:00`, "17:00"))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    const events = await sql()`
      select aggregate_seq::int as seq, (payload ->> 'factVersion')::int as version from outbox
      where aggregate_type = 'clinic-facts' and aggregate_id = ${ber.id} and aggregate_seq > ${before.event_seq} order by aggregate_seq`;
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 8 }, (_, i) => Number(before.event_seq) + 1 + i));
    expect(events.map(({ version }) => version)).toEqual(events.map(({ version }) => version).toSorted((a, b) => a - b));
    expect(new Set(events.map(({ version }) => version)).size).toBe(8);
  });

  it("a check-in or a change of status of a visit that is affected goes on as before", async () => {
    const day = nextTuesday();
    const visit = bodyOf(await book(`${day}T09:00:00Z`, 9));
    await add(absenceOn(day));
    const released = await changeStatus(
      deps(),
      { ...call(), appointmentId: visit.id, expectedVersion: "1" },
      { to: "PENDING_RESCHEDULE", reasonCode: "DOCTOR_ABSENT" },
    );
    expect(released.status).toBe(200);
  });
});
