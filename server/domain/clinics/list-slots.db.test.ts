import { Temporal } from "temporal-polyfill";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Tx, withRead, withSavepoint, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { databaseError } from "@/db/tx-error";
import { newUuid } from "@/server/ids";
import { getClinicFacts } from "./get-clinic-facts";
import { listClinics } from "./list-clinics";
import { listSlots, type SlotsWish } from "./list-slots";
import { type FactsRange, loadClinicFacts, loadFactsQueries } from "./load-facts";
import { dayBounds, localSpan, minuteMs, toIso } from "./local-time";
import { placedVisits } from "./placed-visits";
import { placementFor } from "./placement-for";
import { insertAbsence, insertClosure, insertDoctor, insertHours, insertOutage, insertTreatment, replaceHours } from "./set-up";
import {
  allDays,
  type ClinicFixture,
  createClinicFixture,
  type FixtureClinic,
  longBefore,
  plainDay,
  usualHours,
  workdays,
} from "./testing";
import { insertBareClaims, insertBareVisit } from "./testing-visits";
import type { ClinicFacts } from "./types";

let db: TestDatabase;
let fixture: ClinicFixture;
let ber: FixtureClinic;
beforeAll(async () => {
  db = await createTestDatabase();
  fixture = await createClinicFixture(db.migrator);
  ber = fixture.t1.ber;
});
afterAll(() => db.close());

const now = Temporal.Instant.from(longBefore);
const slotsOf = async (clinic: FixtureClinic, wish: Partial<SlotsWish> & { treatmentId: string }) =>
  (
    await withRead(db.web, clinic.scope, (tx) =>
      listSlots(tx, clinic.scope, { clinicId: clinic.id, fromDate: plainDay, days: 1, now, ...wish }),
    )
  ).slots;
const timesOf = async (clinic: FixtureClinic, wish: Partial<SlotsWish> & { treatmentId: string }) =>
  (await slotsOf(clinic, wish)).map(({ localStart }) => localStart.slice(11));
const factsOf = async (tx: Tx, clinic: FixtureClinic, range: Partial<FactsRange> = {}): Promise<ClinicFacts> => {
  const day = dayBounds(clinic.zone, plainDay);
  const facts = await loadClinicFacts(tx, clinic.scope, {
    clinicId: clinic.id,
    from: day.from - 86_400_000,
    until: day.until + 86_400_000,
    ...range,
  });
  if (!facts) throw new Error("in scope");
  return facts;
};
const book = (clinic: FixtureClinic, startsAt: string, wish: { treatmentId: string; doctorId?: string; patient?: number; id?: string }) =>
  withTx(db.web, clinic.scope, async (tx) => {
    const patientId = (clinic.tenantGroupId === fixture.t1.tenantGroupId ? fixture.t1 : fixture.t2).patients[wish.patient ?? 0]
      ?.id as string;
    const at = Date.parse(startsAt);
    const facts = await factsOf(tx, clinic, { from: at - 26 * 3_600_000, until: at + 26 * 3_600_000, patientId });
    const result = placementFor(facts, { ...wish, patientId, startsAt, now });
    if (!result.ok) return result.blockers.map(({ code }) => code).join();
    return (await insertBareVisit(tx, clinic, { treatmentId: wish.treatmentId, patientId, placement: result.placement })).ref;
  });

describe("the slot list", () => {
  it("offers the grid within the hours, with both doctors", async () => {
    const slots = await slotsOf(ber, { treatmentId: ber.treatments.VISIT60 });
    expect(slots.map(({ localStart }) => localStart.slice(11))).toEqual(
      ["09:00", "09:15", "09:30", "09:45", "10:00", "10:15", "10:30", "10:45", "11:00"].concat([
        "13:00",
        "13:15",
        "13:30",
        "13:45",
        "14:00",
        "14:15",
        "14:30",
        "14:45",
        "15:00",
        "15:15",
        "15:30",
        "15:45",
        "16:00",
      ]),
    );
    expect(slots[0]).toEqual({
      startsAt: "2027-02-09T08:00:00Z",
      endsAt: "2027-02-09T09:00:00Z",
      localStart: "2027-02-09T09:00",
      utcOffset: "+01:00",
      repeated: false,
      doctorIds: ber.doctors.map(({ id }) => id),
      freeSeats: 2,
    });
  });

  it("is one statement, for one day and one doctor as for 14 days, all doctors and a closure of several days", async () => {
    await withTx(db.web, ber.scope, (tx) =>
      insertClosure(tx, ber, { from: "2027-04-01T00:30", until: "2027-04-12T23:30", reason: "Works" }),
    );
    const count = (wish: Partial<SlotsWish>) =>
      withRead(db.web, ber.scope, async (tx) => {
        let statements = 0;
        const sql = Object.assign((...args: Parameters<Tx["sql"]>) => {
          statements += 1;
          return tx.sql(...args);
        }, tx.sql);
        const counted = Object.assign(Object.create(tx), { sql }) as Tx;
        await listSlots(counted, ber.scope, {
          clinicId: ber.id,
          treatmentId: ber.treatments.ULTRASOUND,
          fromDate: plainDay,
          days: 1,
          now,
          ...wish,
        });
        return statements;
      });
    const doctorId = ber.doctors[0]?.id as string;
    expect([await count({ doctorId }), await count({ days: 14 }), await count({ fromDate: "2027-03-29", days: 14 })]).toEqual(
      Array(3).fill(loadFactsQueries),
    );
    expect(loadFactsQueries).toBe(1);
    await db.superuser.$client`delete from closures`;
  });

  it("H-E2: both readings of a repeated hour can be booked, with no clash", async () => {
    const { nyc } = fixture.t1;
    const doctorId = nyc.doctors[0]?.id as string;
    await withTx(db.migrator, {}, async (tx) => {
      await replaceHours(tx, nyc, { weekdays: allDays, intervals: [["00:00", "06:00"]] });
      await replaceHours(tx, nyc, { doctorId, weekdays: allDays, intervals: [["00:00", "06:00"]] });
      await tx.sql`update clinics set grid_minutes = 60 where id = ${nyc.id}`;
    });
    const slots = await slotsOf(nyc, { treatmentId: nyc.treatments.VISIT60, fromDate: "2026-11-01" });
    expect(slots.map(({ startsAt }) => startsAt.slice(11, 13))).toEqual(["04", "05", "06", "07", "08", "09", "10"]);
    expect(await book(nyc, "2026-11-01T05:00:00Z", { treatmentId: nyc.treatments.VISIT60, doctorId })).toMatch(/^APT-/);
    expect(await book(nyc, "2026-11-01T06:00:00Z", { treatmentId: nyc.treatments.VISIT60, doctorId, patient: 1 })).toMatch(/^APT-/);
    expect(await book(nyc, "2026-11-01T06:00:00Z", { treatmentId: nyc.treatments.VISIT60, doctorId, patient: 2 })).toBe("DOCTOR_TAKEN");
  });

  it("H-F1: a buffered visit takes its after-buffer out of the list, and the next start in the list is accepted", async () => {
    const doctorId = ber.doctors[0]?.id as string;
    expect(await book(ber, "2027-02-16T08:00:00Z", { treatmentId: ber.treatments.BUFFERED, doctorId })).toMatch(/^APT-/);
    const times = await timesOf(ber, { treatmentId: ber.treatments.VISIT15, doctorId, fromDate: "2027-02-16" });
    expect(times[0]).toBe("09:45");
    expect(await book(ber, "2027-02-16T08:30:00Z", { treatmentId: ber.treatments.VISIT15, doctorId, patient: 1 })).toBe("DOCTOR_TAKEN");
    expect(await book(ber, "2027-02-16T08:45:00Z", { treatmentId: ber.treatments.VISIT15, doctorId, patient: 1 })).toMatch(/^APT-/);
  });

  it("H-F5: a closure empties the day, refuses, and lists the visit that was there", async () => {
    const ref = await book(ber, "2027-05-06T08:00:00Z", { treatmentId: ber.treatments.VISIT30 });
    await withTx(db.web, ber.scope, (tx) => insertClosure(tx, ber, { from: "2027-05-06", until: "2027-05-06", reason: "Ascension" }));
    expect(await timesOf(ber, { treatmentId: ber.treatments.VISIT30, fromDate: "2027-05-06" })).toEqual([]);
    expect(await book(ber, "2027-05-06T09:00:00Z", { treatmentId: ber.treatments.VISIT30, patient: 1 })).toBe("CLOSED");
    const closed = localSpan(ber.zone, "2027-05-06T00:00", "2027-05-07T00:00");
    const affected = (rest: { doctorId?: string; resourceId?: string }) =>
      withRead(db.web, ber.scope, (tx) => placedVisits(tx, { clinicId: ber.id, ...closed, ...rest }));
    expect((await affected({})).map((visit) => [visit.ref, visit.startsAt, visit.patientRef])).toEqual([
      [ref, "2027-05-06T08:00:00Z", "PT-000001"],
    ]);
    expect(await affected({ resourceId: ber.ultrasound.resourceId })).toEqual([]);
  });

  it("H-K2: with the only ultrasound in maintenance all day there is no slot for it", async () => {
    const { resourceId } = ber.ultrasound;
    await withTx(db.web, ber.scope, (tx) => insertOutage(tx, ber, { resourceId, from: "2027-02-17", until: "2027-02-17" }));
    expect(await slotsOf(ber, { treatmentId: ber.treatments.ULTRASOUND, fromDate: "2027-02-17" })).toEqual([]);
    expect(await book(ber, "2027-02-17T09:00:00Z", { treatmentId: ber.treatments.ULTRASOUND })).toBe("EQUIPMENT_OUT");
    expect((await slotsOf(ber, { treatmentId: ber.treatments.ULTRASOUND, fromDate: "2027-02-18" })).length).toBeGreaterThan(0);
  });

  it("a patient who is at another clinic is not offered that time here, and is not told where", async () => {
    const { sel } = fixture.t1;
    const patientId = fixture.t1.patients[5]?.id as string;
    expect(await book(sel, "2027-02-18T00:00:00Z", { treatmentId: sel.treatments.VISIT60, patient: 5 })).toMatch(/^APT-/);
    await withTx(db.migrator, {}, (tx) => insertHours(tx, ber, { weekdays: [4], intervals: [["01:00", "03:00"]] }));
    await withTx(db.migrator, {}, (tx) =>
      insertHours(tx, ber, { doctorId: ber.doctors[0]?.id as string, weekdays: [4], intervals: [["01:00", "03:00"]] }),
    );
    const night = async (wish: Partial<SlotsWish>) =>
      (await timesOf(ber, { treatmentId: ber.treatments.VISIT60, fromDate: "2027-02-18", ...wish })).filter((time) => time < "03:00");
    expect([await night({}), await night({ patientId })]).toEqual([["01:00", "01:15", "01:30", "01:45", "02:00"], ["02:00"]]);
    const facts = await withRead(db.web, ber.scope, (tx) => factsOf(tx, ber, { ...dayBounds(ber.zone, "2027-02-18"), patientId }));
    const held = facts.claims.filter(({ resourceId }) => resourceId === facts.patient?.resourceId);
    expect(held.map(({ appointmentId, appointmentRef }) => [appointmentId, appointmentRef])).toEqual([[null, null]]);
  });

  it("a doctor of two clinics is not offered at the one while at the other", async () => {
    const { sel } = fixture.t1;
    const shared = ber.doctors[1] as { id: string; resourceId: string };
    const guest = await withTx(db.migrator, {}, async (tx) => {
      const doctor = await insertDoctor(tx, sel, { name: "Doctor 2", resourceId: shared.resourceId });
      await insertHours(tx, sel, { doctorId: doctor.id, weekdays: workdays, intervals: usualHours });
      await insertHours(tx, ber, { doctorId: shared.id, weekdays: [5], intervals: [["01:00", "03:00"]] });
      await insertHours(tx, ber, { weekdays: [5], intervals: [["01:00", "03:00"]] });
      return doctor;
    });
    expect(await book(sel, "2027-02-19T00:00:00Z", { treatmentId: sel.treatments.VISIT60, doctorId: guest.id })).toMatch(/^APT-/);
    const times = await timesOf(ber, { treatmentId: ber.treatments.VISIT60, doctorId: shared.id, fromDate: "2027-02-19" });
    expect(times.filter((time) => time < "03:00")).toEqual(["02:00"]);
  });
});

describe("P-list against the database", () => {
  it("every placement is accepted by the trigger, and what it refuses for a taken resource the trigger refuses too", async () => {
    const clinic = fixture.t1.ber;
    const day = "2027-03-02";
    const bounds = dayBounds(clinic.zone, day);
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const treatments = await withTx(db.migrator, {}, async (tx) => {
      const pair = await insertDoctor(tx, clinic, { name: "Doctor of two", seats: 2 });
      await insertHours(tx, clinic, { doctorId: pair.id, weekdays: workdays, intervals: usualHours });
      await insertOutage(tx, clinic, { resourceId: clinic.room.resourceId, from: `${day}T10:00`, until: `${day}T15:00`, units: 8 });
      await insertOutage(tx, clinic, { resourceId: clinic.ultrasound.resourceId, from: `${day}T15:30`, until: `${day}T16:00` });
      const small = await insertTreatment(tx, clinic, {
        name: "Group of three",
        durationMinutes: 45,
        bufferBeforeMinutes: 5,
        seats: 3,
        needs: [{ equipmentIds: [clinic.room.id] }, { equipmentIds: [clinic.ultrasound.id], usageOffsetMinutes: 15, usageMinutes: 15 }],
      });
      return [...Object.values(clinic.treatments), small.id];
    });
    const visit = (facts: ClinicFacts, ids: { treatmentId: string; doctorId?: string; patientId: string }, startsAt: number) =>
      placementFor(facts, { ...ids, startsAt, now });
    const seen = { accepted: 0, refused: 0 };
    await withTx(
      db.web,
      clinic.scope,
      async (tx) => {
        for (let i = 0; i < 150; i += 1) {
          const patientId = fixture.t1.patients[random(12)]?.id as string;
          const facts = await factsOf(tx, clinic, { from: bounds.from - 86_400_000, until: bounds.until + 86_400_000, patientId });
          const doctorId = facts.doctors[random(facts.doctors.length)]?.id as string;
          const ids = { treatmentId: treatments[random(treatments.length)] as string, doctorId, patientId };
          const startsAt = bounds.from + (9 * 60 + 15 * random(32)) * minuteMs;
          const asked = visit(facts, ids, startsAt);
          // where the visit would be if nothing were taken or out: what a caller would write who does not ask
          const bare = visit({ ...facts, claims: [], outages: [] }, ids, startsAt);
          if (!bare.ok) {
            expect(asked.ok).toBe(false);
            continue;
          }
          const written = await withSavepoint(tx, (sp) => insertBareVisit(sp, clinic, { ...ids, placement: bare.placement })).then(
            () => true,
            (error) => {
              expect(databaseError(error)?.constraint).toBe("claims_within_seats");
              return false;
            },
          );
          expect([startsAt, asked.ok]).toEqual([startsAt, written]);
          if (asked.ok) expect(asked.placement).toEqual(bare.placement);
          seen[written ? "accepted" : "refused"] += 1;
        }
      },
      { deadlineMs: 25_000 },
    );
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(20);
  });

  it("a visit that moves is checked without its own claims, which the trigger sees too late to mind", async () => {
    const ref = await book(ber, "2027-03-09T09:00:00Z", { treatmentId: ber.treatments.VISIT60, doctorId: ber.doctors[0]?.id as string });
    await withTx(db.web, ber.scope, async (tx) => {
      const [row] = await tx.sql`select id, patient_id from appointments where ref = ${ref}`;
      const span = dayBounds(ber.zone, "2027-03-09");
      const facts = await factsOf(tx, ber, { from: span.from - 86_400_000, until: span.until + 86_400_000, patientId: row?.patient_id });
      const wish = {
        treatmentId: ber.treatments.VISIT60,
        doctorId: ber.doctors[0]?.id as string,
        patientId: row?.patient_id,
        startsAt: "2027-03-09T09:30:00Z",
        now,
      };
      expect(placementFor(facts, wish).ok).toBe(false);
      const moved = placementFor(facts, { ...wish, ignoreAppointmentId: row?.id });
      if (!moved.ok) throw new Error("its own claims are no obstacle");
      await tx.sql`delete from resource_claims where appointment_id = ${row?.id}`;
      await insertBareClaims(tx, ber, row?.id, moved.placement.claims);
    });
    const free = await timesOf(ber, {
      treatmentId: ber.treatments.VISIT30,
      doctorId: ber.doctors[0]?.id as string,
      fromDate: "2027-03-09",
    });
    expect([free.includes("10:00"), free.includes("10:15"), free.includes("11:30")]).toEqual([true, false, true]);
  });
});

describe("scope", () => {
  it("H-M1: a clinic, doctor or treatment of elsewhere is the same as one that does not exist", async () => {
    const { nyc } = fixture.t1;
    const { ktm } = fixture.t2;
    const ask = (wish: Partial<SlotsWish>) =>
      slotsOf(ber, { treatmentId: ber.treatments.VISIT30, ...wish }).catch((error) => [error.code, error.message]);
    const unknown = await ask({ clinicId: newUuid() });
    expect(unknown).toEqual(["not-found", "not-found"]);
    for (const wish of [
      { clinicId: nyc.id },
      { clinicId: ktm.id },
      { doctorId: nyc.doctors[0]?.id as string },
      { treatmentId: ktm.treatments.VISIT30 },
      { patientId: fixture.t2.patients[0]?.id as string },
    ])
      expect(await ask(wish)).toEqual(unknown);
    await expect(
      withRead(db.web, ber.scope, (tx) => getClinicFacts(tx, ber.scope, { clinicId: nyc.id, fromDate: plainDay, days: 1 })),
    ).rejects.toMatchObject({ code: "not-found" });
  });

  it("lists the clinics in scope and no others", async () => {
    expect((await withRead(db.web, ber.scope, (tx) => listClinics(tx, ber.scope))).map(({ ref }) => ref)).toEqual(["CL-BER000"]);
    expect((await withRead(db.web, fixture.t1.scope, (tx) => listClinics(tx, fixture.t1.scope))).map(({ ref }) => ref)).toEqual([
      "CL-BER000",
      "CL-NYC000",
      "CL-SE0000",
    ]);
  });

  it("shows the facts of the days that are asked for, without what only claims need", async () => {
    const { ktm } = fixture.t2;
    const doctorId = ktm.doctors[0]?.id as string;
    await withTx(db.migrator, {}, async (tx) => {
      await insertAbsence(tx, ktm, { doctorId, from: "2027-02-09", until: "2027-02-10", reason: "Course" });
      await insertAbsence(tx, ktm, { doctorId, from: "2027-02-12", until: "2027-02-12" });
      await insertOutage(tx, ktm, { resourceId: ktm.ultrasound.resourceId, from: "2027-02-09T09:00", until: "2027-02-09T12:00" });
    });
    const facts = await withRead(db.web, ktm.scope, (tx) =>
      getClinicFacts(tx, ktm.scope, { clinicId: ktm.id, fromDate: plainDay, days: 1 }),
    );
    expect(facts.absences).toEqual([
      expect.objectContaining({
        doctorId,
        localFrom: "2027-02-09T00:00",
        localUntil: "2027-02-11T00:00",
        from: "2027-02-08T18:15:00Z",
        until: "2027-02-10T18:15:00Z",
      }),
    ]);
    expect(facts.outages).toEqual([
      expect.objectContaining({ equipmentId: ktm.ultrasound.id, units: 1, from: toIso(Date.parse("2027-02-09T03:15Z")) }),
    ]);
    expect(JSON.stringify(facts)).not.toMatch(/resource|tenantGroup/i);
  });

  it("a list of 0 or 15 days, or from no date, is refused", async () => {
    for (const wish of [{ days: 0 }, { days: 15 }, { days: 1.5 }, { fromDate: "2027-02-30" }])
      await expect(slotsOf(ber, { treatmentId: ber.treatments.VISIT30, ...wish })).rejects.toMatchObject({ code: "request-invalid" });
  });
});
