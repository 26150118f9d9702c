// What must hold for any zone, time, order and crowd, on the real database. PROPERTY_RUNS and PROPERTY_SEED: more, or the same again.
import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { type ClinicKey, insertClinic, insertDoctor, insertHours, insertTreatment } from "@/server/domain/clinics/set-up";
import { allDays, type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import { checkInvariants } from "@/server/domain/operations/check-invariants";
import { at, callApi, insertToken, makeTimes, newKey, setWebEnvironment } from "./testing";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 12);
const seed = Number(process.env.PROPERTY_SEED ?? Math.floor(Math.random() * 2 ** 31));
const options = { numRuns, seed };
const timeoutMs = 60_000 + numRuns * 4_000;
const zones = ["Europe/Berlin", "America/New_York", "Asia/Seoul", "Asia/Kathmandu", "Australia/Lord_Howe"];
let db: TestDatabase;
let world: ClinicFixture;
let token: string;
let nights: Record<string, { clinic: ClinicKey; treatmentId: string }>;
const time = makeTimes("Europe/Berlin");

beforeAll(async () => {
  db = await createTestDatabase();
  setWebEnvironment(db.urls.web);
  world = await createClinicFixture(db.migrator, { patients: 40 });
  nights = {};
  for (const zone of zones) nights[zone] = await alwaysOpen(zone);
  token = await insertToken(db.migrator, world.t1.tenantGroupId, [
    world.t1.ber.id,
    ...Object.values(nights).map(({ clinic }) => clinic.id),
  ]);
});
afterAll(async () => {
  expect(await checkInvariants(db.superuser)).toEqual([]);
  await db.close();
});

const alwaysOpen = (zone: string) =>
  withTx(db.migrator, {}, async (tx) => {
    const clinic = await insertClinic(tx, world.t1.tenantGroupId, { name: `Night ${zone}`, zone });
    const doctor = await insertDoctor(tx, clinic, { name: "Doctor N" });
    const hours = { weekdays: allDays, intervals: [["00:00", "00:00"]] as [string, string][] };
    await insertHours(tx, clinic, hours);
    await insertHours(tx, clinic, { ...hours, doctorId: doctor.id });
    return { clinic, treatmentId: (await insertTreatment(tx, clinic, { name: "Visit", durationMinutes: 30 })).id };
  });

/** Days on and around the clock changes of a zone in the next year, or plain ones where the clock never changes. */
function daysOf(zone: string): Temporal.PlainDate[] {
  const start = Temporal.Now.zonedDateTimeISO(zone).add({ days: 3 });
  const changes: Temporal.ZonedDateTime[] = [];
  for (let from = start; changes.length < 2; ) {
    const next = from.getTimeZoneTransition("next");
    if (!next || next.epochMilliseconds > start.add({ years: 1 }).epochMilliseconds) break;
    changes.push(next);
    from = next;
  }
  const middles = changes.length > 0 ? changes.map((change) => change.toPlainDate()) : [start.add({ days: 30 }).toPlainDate()];
  return middles.flatMap((day) => [-1, 0, 1].map((days) => day.add({ days })));
}

/** The same instant as some clock in the world writes it. */
const writtenIn = (instant: Temporal.Instant, zone: string): string => instant.toZonedDateTimeISO(zone).toString({ timeZoneName: "never" });

describe(`any case, from seed ${seed}`, () => {
  it(
    "P-local: over every clock change, a visit is on the clinic's date and clock, whatever clock the caller wrote it in",
    async () => {
      const cases = fc.record({
        zone: fc.constantFrom(...zones),
        viewer: fc.constantFrom(...zones),
        day: fc.nat(100),
        slot: fc.nat(1_000),
        patient: fc.nat(39),
      });
      const property = fc.asyncProperty(cases, async ({ zone, viewer, day, slot, patient }) => {
        const { clinic, treatmentId } = nights[zone] as (typeof nights)[string];
        const days = daysOf(zone);
        const date = days[day % days.length] as Temporal.PlainDate;
        const { json } = await callApi("listSlots", { clinicId: clinic.id, token, query: { treatmentId, from: date.toString() } });
        const slots = json.slots as { startsAt: string }[];
        for (const { startsAt } of slots)
          expect(Temporal.Instant.from(startsAt).toZonedDateTimeISO(zone).toPlainDate().equals(date), `${startsAt} in ${zone}`).toBe(true);
        const chosen = slots[slot % slots.length];
        if (!chosen) return;
        const instant = Temporal.Instant.from(chosen.startsAt);
        const body = { patient: { id: world.t1.patients[patient]?.id }, treatmentId, startsAt: writtenIn(instant, viewer) };
        const booked = await callApi("createAppointment", { clinicId: clinic.id, token, body });
        if (booked.json.code === "slot-taken") return; // the patient is elsewhere then, in a case before this one
        expect(booked.status, booked.text).toBe(201);
        const clock = instant.toZonedDateTimeISO(zone);
        expect(Temporal.Instant.from(booked.json.startsAt).equals(instant)).toBe(true);
        expect([booked.json.localDate, booked.json.localStart.slice(0, 16)]).toEqual([
          date.toString(),
          clock.toPlainDateTime().toString().slice(0, 16),
        ]);
        expect(booked.json.utcOffsetSeconds).toBe(clock.offsetNanoseconds / 1e9);
        for (const offset of [-1, 0, 1]) {
          const query = { date: date.add({ days: offset }).toString(), limit: "100" };
          const listed = (await callApi("listAppointments", { clinicId: clinic.id, token, query })).json.appointments;
          expect(listed.some(({ id }: { id: string }) => id === booked.json.id)).toBe(offset === 0);
        }
      });
      await fc.assert(property, options);
    },
    timeoutMs,
  );

  it(
    "P-noop: to ask for where a visit is already, in whatever spelling, writes no version, history, event, message or claim",
    async () => {
      const counted = ["appointment_history", "outbox", "notification_intents", "resource_claims", "appointment_equipment"];
      const state = async () => {
        const counts = counted.map((table) => `(select count(*)::int from ${table}) as ${table}`).join(", ");
        const [row] = await db.superuser.$client.unsafe(
          `select ${counts}, (select sum(version)::int + sum(placement_version)::int from appointments) as versions`,
        );
        return { ...row };
      };
      const { ber, patients } = world.t1;
      const cases = fc.record({
        zone: fc.constantFrom(...zones),
        named: fc.boolean(),
        withReason: fc.boolean(),
        kind: fc.constantFrom("VISIT15" as const, "ULTRASOUND" as const),
      });
      const property = fc.asyncProperty(cases, async ({ zone, named, withReason, kind }) => {
        const doctorId = ber.doctors[0]?.id as string;
        const startsAt = kind === "ULTRASOUND" ? at("Europe/Berlin", "13:00", 7 * (40 + runs++)) : time();
        const body = { patient: { id: patients[0]?.id }, treatmentId: ber.treatments[kind], doctorId, startsAt };
        const booked = await callApi("createAppointment", { clinicId: ber.id, token, body });
        expect(booked.status, booked.text).toBe(201);
        const before = await state();
        const same = {
          startsAt: writtenIn(Temporal.Instant.from(booked.json.startsAt), zone),
          ...(named && { doctorId }),
          ...(withReason && { reasonCode: "OTHER", note: "the same" }),
        };
        const moved = await callApi("rescheduleAppointment", { clinicId: ber.id, token, id: booked.json.id, ifMatch: '"1"', body: same });
        expect([moved.status, moved.json.version]).toEqual([200, "1"]);
        expect(await state()).toEqual(before);
      });
      await fc.assert(property, options);
    },
    timeoutMs,
  );

  it(
    "P-disjoint: whoever wants what at once, no doctor, patient or device has two visits at any instant, and the room not more than ten",
    async () => {
      const { ber, patients } = world.t1;
      const kinds = ["VISIT15", "VISIT30", "VISIT60", "BUFFERED", "ULTRASOUND", "GROUP"] as const;
      const wish = fc.record({
        kind: fc.constantFrom(...kinds),
        quarter: fc.nat(10),
        doctor: fc.constantFrom(0, 1, "any" as const),
        patient: fc.nat(11),
      });
      const property = fc.asyncProperty(fc.array(wish, { minLength: 8, maxLength: 14 }), async (wishes) => {
        const day = 7 * (200 + runs++);
        const starts = (quarter: number) =>
          at(
            "Europe/Berlin",
            `${String(9 + Math.floor(quarter / 4)).padStart(2, "0")}:${String((quarter % 4) * 15).padStart(2, "0")}`,
            day,
          );
        const replies = await Promise.all(
          wishes.map(({ kind, quarter, doctor, patient }) =>
            callApi("createAppointment", {
              clinicId: ber.id,
              token,
              key: newKey(),
              body: {
                patient: { id: patients[patient]?.id },
                treatmentId: ber.treatments[kind],
                doctorId: doctor === "any" ? "any" : ber.doctors[doctor]?.id,
                startsAt: starts(quarter),
              },
            }),
          ),
        );
        expect(replies.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
        for (const reply of replies) expect([201, 409], reply.text).toContain(reply.status);
        await assertDisjoint(day);
      });
      await fc.assert(property, options);
    },
    timeoutMs,
  );
});

let runs = 0;

type Held = { treatment: string; doctor: string; patient: string; equipment: string[]; from: number; until: number };

/** Looks at every start of the day: who and what is busy then. Treatments for groups have ten places, everything else one. */
async function assertDisjoint(day: number): Promise<void> {
  const { ber } = world.t1;
  const rows = (await db.superuser.$client`
    select a.treatment_id as treatment, a.doctor_id as doctor, a.patient_id as patient, extract(epoch from a.starts_at)::int as from,
           extract(epoch from a.ends_at)::int as until,
           array(select e.equipment_id from appointment_equipment e where e.appointment_id = a.id) as equipment
    from appointments a
    where a.clinic_id = ${ber.id} and a.local_date = ${at("Europe/Berlin", "09:00", day).slice(0, 10)} and a.status in ('REQUESTED', 'CONFIRMED')`) as unknown as Held[];
  for (const { from: instant } of rows) {
    const busy = rows.filter(({ from, until }) => from <= instant && instant < until);
    const most = (of: (visit: Held) => string[]) =>
      Math.max(0, ...busy.flatMap(of).map((one) => busy.flatMap(of).filter((other) => other === one).length));
    const single = busy.filter(({ treatment }) => treatment !== ber.treatments.GROUP);
    expect(most(({ patient }) => [patient])).toBeLessThanOrEqual(1);
    expect(most(({ equipment }) => equipment.filter((id) => id === ber.ultrasound.id))).toBeLessThanOrEqual(1);
    expect(most(({ equipment }) => equipment.filter((id) => id === ber.room.id))).toBeLessThanOrEqual(10);
    for (const { doctor } of single) expect(busy.filter((visit) => visit.doctor === doctor)).toHaveLength(1); // nobody beside a single visit
  }
}
