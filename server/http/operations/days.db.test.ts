// Faults of other booking systems around days, zones, lists and who sees what, by their ids: the part of each that the server owes the screens.
import { Temporal } from "temporal-polyfill";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { withRead, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { type ClinicKey, insertClinic, insertDoctor, insertHoliday, insertHours, insertTreatment } from "@/server/domain/clinics/set-up";
import { allDays, type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import { checkInvariants } from "@/server/domain/operations/check-invariants";
import { deskDay } from "@/server/domain/operations/desk-day";
import { loadActor, type SignedInPerson } from "@/server/domain/scope/load-actor";
import { webEnv } from "@/server/env";
import { newUuid } from "@/server/ids";
import { appRouter } from "@/server/trpc/root";
import { createCallerFactory } from "@/server/trpc/trpc";
import { aTuesday, at, callApi, insertToken, newKey, setWebEnvironment } from "./testing";

let db: TestDatabase;
let world: ClinicFixture;

beforeAll(async () => {
  db = await createTestDatabase();
  setWebEnvironment(db.urls.web);
  world = await createClinicFixture(db.migrator);
});
afterAll(async () => {
  expect(await checkInvariants(db.superuser)).toEqual([]);
  await db.close();
});

const tokenFor = (clinic: ClinicKey) => insertToken(db.migrator, clinic.tenantGroupId, [clinic.id]);

/** A clinic that never closes, with one doctor who takes up to `seats` at once. */
const alwaysOpen = (zone: string, options: { minutes?: number; seats?: number; intervals?: [string, string][] } = {}) =>
  withTx(db.migrator, {}, async (tx) => {
    const clinic = await insertClinic(tx, world.t1.tenantGroupId, { name: `Night ${zone}`, zone });
    const doctor = await insertDoctor(tx, clinic, { name: "Doctor N" });
    const hours = { weekdays: allDays, intervals: options.intervals ?? [["00:00", "00:00"] as [string, string]] };
    await insertHours(tx, clinic, hours);
    await insertHours(tx, clinic, { ...hours, doctorId: doctor.id });
    const treatment = { name: "Visit", durationMinutes: options.minutes ?? 30, ...(options.seats && { seats: options.seats }) };
    return { clinic, doctor, treatmentId: (await insertTreatment(tx, clinic, treatment)).id };
  });

async function deskOf(clinicId: string, roles = ["FRONT_DESK"]): Promise<SignedInPerson> {
  const { tenantGroupId } = world.t1;
  const userId = newUuid();
  const sql = db.migrator.$client;
  await sql`
    insert into users (id, tenant_group_id, ref, email, name, password_hash)
    values (${userId}, ${tenantGroupId}, ${`ST-${userId.slice(-6)}`}, ${`${userId}@clinic.invalid`}, 'Person', 'x')`;
  for (const role of roles)
    await sql`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${userId}, ${role}, ${clinicId})`;
  return (await loadActor(db.web, { tenantGroupId, userId })) as SignedInPerson;
}
const callerFor = (actor: SignedInPerson) =>
  createCallerFactory(appRouter)({ db: db.web, clock: systemClock, env: webEnv(), requestId: newUuid(), actor, batchSize: 1 });

describe("one instant, many clocks", () => {
  // at every hour one of them has another date than UTC
  it.each(["Pacific/Kiritimati", "Pacific/Pago_Pago"])(
    "facts from no date are those of today by the clinic's calendar: %s",
    async (zone) => {
      const { clinic } = await alwaysOpen(zone);
      const today = Temporal.Now.plainDateISO(zone);
      await withTx(db.migrator, {}, async (tx) => {
        for (const days of [-2, -1, 0, 1, 2]) await insertHoliday(tx, clinic, { date: today.add({ days }).toString(), name: "Rest" });
      });
      const { json } = await callApi("getClinic", { clinicId: clinic.id, token: await tokenFor(clinic), query: { days: "1" } });
      const asked = Temporal.Instant.from(json.asOf).toZonedDateTimeISO(zone).toPlainDate().toString();
      expect(json.holidays.map((holiday: { date: string }) => holiday.date)).toEqual([asked]);
    },
  );

  it("P-list what is past is decided by the database's clock, for the list as for the booking, whatever this process's clock says", async () => {
    const { clinic, treatmentId } = await alwaysOpen("Europe/Berlin");
    const fast = () => Temporal.Now.instant().add({ hours: 48 });
    const clock = vi.spyOn(systemClock, "now").mockImplementation(fast);
    try {
      const from = Temporal.Now.plainDateISO(clinic.zone).toString();
      const token = await tokenFor(clinic);
      const api = await callApi("listSlots", { clinicId: clinic.id, token, query: { treatmentId, from, days: "2" } });
      const desk = await callerFor(await deskOf(clinic.id)).desk.slots({ clinicId: clinic.id, treatmentId, fromDate: from, days: 2 });
      const [, second] = api.json.slots; // the first could begin while this test runs
      expect(desk.slots.map((slot) => slot.startsAt)).toContain(second?.startsAt);
      const body = { patient: { id: world.t1.patients[5]?.id }, treatmentId, startsAt: second?.startsAt };
      const booked = await callApi("createAppointment", { clinicId: clinic.id, token, body });
      expect(booked.status, booked.text).toBe(201);
    } finally {
      clock.mockRestore();
    }
  });

  it("H-E3 what was chosen in another zone is what is stored and confirmed, under the clinic's own date", async () => {
    const { sel, tenantGroupId } = { ...world.t1, tenantGroupId: world.t1.tenantGroupId };
    const token = await insertToken(db.migrator, tenantGroupId, [sel.id]);
    const here = Temporal.Instant.from(at("Asia/Seoul", "09:00"));
    const there = here.toZonedDateTimeISO("America/New_York");
    expect(there.toPlainDate().toString()).not.toBe(aTuesday.toString()); // the viewer's date is the day before
    const slots = await callApi("listSlots", {
      clinicId: sel.id,
      token,
      query: { treatmentId: sel.treatments.VISIT30, from: aTuesday.toString() },
    });
    expect(slots.json.slots.map((slot: { startsAt: string }) => Date.parse(slot.startsAt))).toContain(here.epochMilliseconds);
    const startsAt = there.toString({ timeZoneName: "never" });
    const body = { patient: { id: world.t1.patients[0]?.id }, treatmentId: sel.treatments.VISIT30, startsAt };
    const { json } = await callApi("createAppointment", { clinicId: sel.id, token, body });
    expect(Temporal.Instant.from(json.startsAt).equals(here)).toBe(true);
    expect([json.localDate, json.localStart, json.zone]).toEqual([aTuesday.toString(), expect.stringContaining("T09:00"), "Asia/Seoul"]);
  });

  it("H-E7 a visit in the small hours is on the clinic's date in list, day view, event and answer, and on no other", async () => {
    const { clinic, treatmentId } = await alwaysOpen("Asia/Kathmandu");
    const token = await tokenFor(clinic);
    const startsAt = at("Asia/Kathmandu", "02:00"); // the day before in UTC
    expect(new Date(startsAt).toISOString().slice(0, 10)).toBe(aTuesday.subtract({ days: 1 }).toString());
    const body = { patient: { id: world.t1.patients[1]?.id }, treatmentId, startsAt };
    const { json } = await callApi("createAppointment", { clinicId: clinic.id, token, body });
    expect(json.localDate).toBe(aTuesday.toString());
    const actor = await deskOf(clinic.id);
    const idsOn = async (date: Temporal.PlainDate) => {
      const list = await callApi("listAppointments", { clinicId: clinic.id, token, query: { date: date.toString() } });
      const day = await withRead(db.web, actor, (tx) => deskDay(tx, actor, { clinicId: clinic.id, date: date.toString() }));
      return [list.json.appointments, day?.visits].map((visits) => visits.map(({ id }: { id: string }) => id));
    };
    expect(await idsOn(aTuesday)).toEqual([[json.id], [json.id]]);
    expect(await idsOn(aTuesday.subtract({ days: 1 }))).toEqual([[], []]);
    const [event] = await db.superuser.$client`select payload from outbox where aggregate_id = ${json.id}`;
    expect(event?.payload.localDate).toBe(aTuesday.toString());
  });

  it("H-O2 a visit over midnight is one visit, whole, in the day in which its shift began", async () => {
    const { clinic, treatmentId } = await alwaysOpen("Europe/Berlin", { minutes: 120, intervals: [["22:00", "02:00"]] });
    const token = await tokenFor(clinic);
    const body = { patient: { id: world.t1.patients[2]?.id }, treatmentId, startsAt: at("Europe/Berlin", "23:00") };
    const { json } = await callApi("createAppointment", { clinicId: clinic.id, token, body });
    const actor = await deskOf(clinic.id);
    const day = await withRead(db.web, actor, (tx) => deskDay(tx, actor, { clinicId: clinic.id, date: aTuesday.toString() }));
    expect(day?.visits.map(({ id }) => id)).toEqual([json.id]);
    expect(Date.parse(day?.until as string)).toBeGreaterThanOrEqual(Date.parse(json.endsAt)); // it does not run off the grid
    expect(day?.columns.find(({ kind }) => kind === "DOCTOR")?.visits).toBe(1);
    const next = await withRead(db.web, actor, (tx) =>
      deskDay(tx, actor, { clinicId: clinic.id, date: aTuesday.add({ days: 1 }).toString() }),
    );
    expect(next?.visits).toEqual([]); // counted once
  });
});

describe("a screen that is behind", () => {
  it("H-A7 two clicks and Enter under one key are one command, each with the same answer", async () => {
    const { ber, patients } = world.t1;
    const desk = callerFor(await deskOf(ber.id));
    const visit = {
      patient: { id: patients[3]?.id as string },
      treatmentId: ber.treatments.VISIT15,
      doctorId: "any" as const,
      startsAt: at("Europe/Berlin", "14:00"),
    };
    const key = newKey();
    const answers = await Promise.all([1, 2, 3].map(() => desk.desk.book({ clinicId: ber.id, key, visit })));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it("H-J3 a time that is refused as taken is gone from the list that is read next", async () => {
    const { ber, patients } = world.t1;
    const desk = callerFor(await deskOf(ber.id));
    const startsAt = at("Europe/Berlin", "10:00", 1);
    const asked = {
      clinicId: ber.id,
      treatmentId: ber.treatments.VISIT30,
      doctorId: ber.doctors[0]?.id as string,
      fromDate: startsAt.slice(0, 10),
      days: 1,
    };
    const times = async () => (await desk.desk.slots(asked))?.slots.map((slot) => Date.parse(slot.startsAt));
    const book = (n: number) =>
      desk.desk.book({
        clinicId: ber.id,
        key: newKey(),
        visit: { patient: { id: patients[n]?.id as string }, treatmentId: asked.treatmentId, doctorId: asked.doctorId, startsAt },
      });
    expect(await times()).toContain(Date.parse(startsAt));
    expect((await book(4)).status).toBe(201);
    expect((await book(5)).body.code).toBe("slot-taken");
    expect(await times()).not.toContain(Date.parse(startsAt));
  });
});

describe("lists", () => {
  it("H-N2 a fully booked day of 180 is reachable to its last row, and asking for more twice loads nothing twice", async () => {
    const { clinic, treatmentId } = await alwaysOpen("Europe/Berlin", { minutes: 15, seats: 30 });
    const token = await tokenFor(clinic);
    const starts = Array.from({ length: 15 }, (_, n) =>
      at("Europe/Berlin", `${String(9 + Math.floor(n / 2)).padStart(2, "0")}:${n % 2 ? "30" : "00"}`),
    );
    const book = (n: number) =>
      callApi("createAppointment", {
        clinicId: clinic.id,
        token,
        body: { patient: { externalReference: `full-${n}` }, treatmentId, startsAt: starts[Math.floor(n / 12)] },
      });
    for (let n = 0; n < 180; n += 6) {
      const replies = await Promise.all([0, 1, 2, 3, 4, 5].map((more) => book(n + more)));
      for (const reply of replies) expect(reply.status, reply.text).toBe(201);
    }
    const page = (cursor?: string) =>
      callApi("listAppointments", {
        clinicId: clinic.id,
        token,
        query: { date: aTuesday.toString(), limit: "50", ...(cursor ? { cursor } : {}) },
      });
    const seen: { id: string; startsAt: string }[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const [one, again] = await Promise.all([page(cursor), page(cursor)]);
      expect(again.text).toBe(one.text);
      seen.push(...one.json.appointments);
      cursor = one.json.nextCursor ?? undefined;
    }
    expect([seen.length, new Set(seen.map(({ id }) => id)).size]).toEqual([180, 180]);
    expect(Date.parse(seen.at(-1)?.startsAt as string)).toBe(Date.parse(at("Europe/Berlin", "16:00")));
    const actor = await deskOf(clinic.id);
    const day = await withRead(db.web, actor, (tx) => deskDay(tx, actor, { clinicId: clinic.id, date: aTuesday.toString() }));
    expect(day?.visits).toHaveLength(180);
    expect(day?.columns[0]?.visits).toBe(180);
  });
});

describe("who sees what", () => {
  it("H-M3 options, counters, conflicts and refusals of one clinic name nothing of another", async () => {
    const { t1, t2 } = world;
    const { ber, nyc, sel } = t1;
    const patient = { id: t1.patients[6]?.id as string };
    const elsewhere = await insertToken(db.migrator, t1.tenantGroupId, [nyc.id]);
    const startsAt = at("America/New_York", "09:00", 2); // 15:00 in Berlin, where it is open too
    const there = await callApi("createAppointment", {
      clinicId: nyc.id,
      token: elsewhere,
      body: { patient, treatmentId: nyc.treatments.VISIT30, startsAt },
    });
    expect(there.status, there.text).toBe(201);

    const token = await insertToken(db.migrator, t1.tenantGroupId, [ber.id]);
    const person = callerFor(await deskOf(ber.id, ["FRONT_DESK", "STAFF"]));
    const date = startsAt.slice(0, 10);
    const taken = await callApi("createAppointment", {
      clinicId: ber.id,
      token,
      body: { patient, treatmentId: ber.treatments.VISIT30, startsAt },
    });
    expect(taken.json).toMatchObject({ code: "slot-taken", blockers: [{ code: "PATIENT_TAKEN", appointmentRef: null }] });
    const answers = [
      taken.json,
      (await callApi("listClinics", { token })).json,
      (await callApi("getClinic", { clinicId: ber.id, token, query: { from: date } })).json,
      (await callApi("listAppointments", { clinicId: ber.id, token, query: { date } })).json,
      (await callApi("listSlots", { clinicId: ber.id, token, query: { treatmentId: ber.treatments.VISIT30, from: date } })).json,
      (await callApi("getAppointment", { clinicId: ber.id, token, id: there.json.id })).json,
      await person.session.me(),
      await person.desk.day({ clinicId: ber.id, date }),
      await person.desk.slots({ clinicId: ber.id, treatmentId: ber.treatments.VISIT30, patientId: patient.id, fromDate: date, days: 3 }),
      await person.delivery.counts({}),
      await person.delivery.consumers({}),
      await person.delivery.queue({ filter: { search: there.json.ref } }),
      await person.delivery.needsDecision({}),
    ].map((answer) => JSON.stringify(answer));
    const foreign = [nyc, sel, t2.ktm, t2.lhi].flatMap(({ id, ref, doctors }) => [id, ref, ...doctors.map((doctor) => doctor.id)]);
    for (const secret of [...foreign, "Clinic NYC", "Clinic SE0", "Clinic KTM", "Clinic 1H1", "Doctor 3", "Doctor 4", there.json.ref])
      for (const answer of answers) expect(answer).not.toContain(secret);
  });
});
