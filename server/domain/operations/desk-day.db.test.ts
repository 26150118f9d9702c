import { Temporal } from "temporal-polyfill";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withRead, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import type { Clock } from "@/server/clock";
import { insertAbsence, insertBreak, insertClosure, insertHours, insertOutage } from "@/server/domain/clinics/set-up";
import { allDays, type ClinicFixture, createClinicFixture, plainDay } from "@/server/domain/clinics/testing";
import type { PersonActor, Role } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import { type DeskDay, deskDay } from "./desk-day";
import { type DeskWeek, deskWeek } from "./desk-week";

let db: TestDatabase;
let world: ClinicFixture;

const person = (role: Role): PersonActor => ({
  kind: "person",
  ...world.t1.ber.scope,
  userId: newUuid(),
  ref: "ST-000001",
  roles: [{ role, clinicId: null }],
});
const dayOf = (date: string, actor = person("FRONT_DESK"), clinicId = world.t1.ber.id) =>
  withRead(db.web, actor, (tx) => deskDay(tx, actor, { clinicId, date })) as Promise<DeskDay>;

/** A visit of the first doctor, written as the record that it would be. Berlin is UTC+1 in February. */
async function visit(at: string, status = "CONFIRMED", localDate = at.slice(0, 10)): Promise<string> {
  const { ber, patients } = { ber: world.t1.ber, patients: world.t1.patients };
  const id = newUuid();
  await db.superuser.$client`
    insert into appointments ${db.superuser.$client({
      id,
      tenant_group_id: ber.tenantGroupId,
      clinic_id: ber.id,
      ref: `APT-${id.slice(-6).toUpperCase()}`,
      status,
      patient_id: patients[0]?.id ?? "",
      doctor_id: ber.doctors[0]?.id ?? "",
      treatment_id: ber.treatments.VISIT30,
      starts_at: `${at}:00+01`,
      ends_at: new Date(Date.parse(`${at}:00+01:00`) + 30 * 60_000).toISOString(),
      local_date: localDate,
      local_start: `${at}:00`,
      utc_offset_seconds: 3600,
      source: "DESK",
      command_id: newUuid(),
    })}`;
  return id;
}

beforeAll(async () => {
  db = await createTestDatabase();
  world = await createClinicFixture(db.migrator);
});
afterAll(() => db.close());

describe("deskDay", () => {
  it("shows doctors, then devices, then rooms, and the visits of the date that hold a place", async () => {
    const shown = await visit(`${plainDay}T10:00`);
    await visit(`${plainDay}T11:00`, "CANCELLED");
    await visit("2027-02-10T10:00");
    const day = await dayOf(plainDay);
    expect(day.columns.map((column) => column.kind)).toEqual(["DOCTOR", "DOCTOR", "DEVICE", "ROOM"]);
    expect(day.visits.map((one) => one.id)).toEqual([shown]);
    expect(day.visits[0]).toMatchObject({ startsAt: "2027-02-09T09:00:00Z", patient: { ref: "PT-000001", name: "Patient 1" } });
    expect(day.columns[0]?.visits).toBe(1);
    expect(day.open).toEqual([
      { from: "2027-02-09T08:00:00Z", until: "2027-02-09T11:00:00Z" },
      { from: "2027-02-09T12:00:00Z", until: "2027-02-09T16:00:00Z" },
    ]);
  });

  it("names go to the front desk only, and a clinic out of scope is not there", async () => {
    const day = await dayOf(plainDay, person("STAFF"));
    expect(day.visits.map((one) => one.patient.name)).toEqual([null]);
    expect(day.visits[0]?.actions.cancel).toEqual({ allowed: false, why: "RIGHT_MISSING" });
    expect(await dayOf(plainDay, person("FRONT_DESK"), world.t2.ktm.id)).toBeUndefined();
  });

  it("names what stands in the way: pause, closure, absence, break and outage, cut to the day", async () => {
    const { ber } = world.t1;
    const date = "2027-02-11"; // a Thursday
    await withTx(db.migrator, {}, async (tx) => {
      await insertClosure(tx, ber, { from: `${date}T16:00`, until: "2027-02-12T10:00", reason: "Water" });
      await insertAbsence(tx, ber, { doctorId: ber.doctors[0]?.id ?? "", from: `${date}T09:00`, until: `${date}T10:00`, reason: "Course" });
      await insertBreak(tx, ber, { interval: ["10:30", "10:45"], weekdays: [4], doctorId: ber.doctors[1]?.id, label: "Break" });
      await insertOutage(tx, ber, { resourceId: ber.ultrasound.resourceId, from: `${date}T09:00`, until: `${date}T11:00`, units: 1 });
    });
    const day = await dayOf(date);
    const blocks = day.blocks.map(({ kind, columnId, from, until }) => [kind, columnId, from.slice(11, 16), until.slice(11, 16)]);
    expect(blocks).toEqual([
      ["OUTSIDE_HOURS", null, "11:00", "12:00"],
      ["CLOSED", null, "15:00", "16:00"],
      ["BREAK", ber.doctors[1]?.id, "09:30", "09:45"],
      ["ABSENT", ber.doctors[0]?.id, "08:00", "09:00"],
      ["OUTAGE", ber.ultrasound.id, "08:00", "10:00"],
    ]);
  });

  it("a night is drawn whole, on the day in which it began", async () => {
    const { ber } = world.t1;
    await withTx(db.migrator, {}, async (tx) => {
      await insertHours(tx, ber, { weekdays: allDays, intervals: [["20:00", "04:00"]] });
    });
    const late = await visit("2027-02-14T02:00");
    const saturday = await dayOf("2027-02-13");
    const sunday = await dayOf("2027-02-14");
    expect(saturday.until).toBe("2027-02-14T03:00:00Z");
    expect(saturday.visits.map((one) => one.id)).toEqual([late]);
    expect(sunday.visits).toEqual([]);
  });

  it("after midnight the running night is today's, until it ends or the new date opens by itself", async () => {
    const { nyc } = world.t1;
    await withTx(db.migrator, {}, (tx) => insertHours(tx, nyc, { weekdays: [5, 7], intervals: [["20:00", "04:00"]] }));
    await withTx(db.migrator, {}, (tx) => insertHours(tx, nyc, { weekdays: [1], intervals: [["02:00", "03:00"]] }));
    const actor = { ...person("FRONT_DESK"), ...world.t1.scope, roles: [{ role: "FRONT_DESK" as const, clinicId: nyc.id }] };
    const at = async (clock: string) => {
      const stopped: Clock = { now: () => Temporal.ZonedDateTime.from(`${clock}[America/New_York]`).toInstant(), monotonicMs: () => 0 };
      const asked = { clinicId: nyc.id, date: null };
      const day = (await withRead(db.web, actor, (tx) => deskDay(tx, actor, asked, stopped))) as DeskDay;
      const week = (await withRead(db.web, actor, (tx) => deskWeek(tx, actor, asked, stopped))) as DeskWeek;
      expect(week.today).toBe(day.today);
      return day;
    };
    const night = await at("2027-02-13T00:30");
    expect([night.today, night.date]).toEqual(["2027-02-12", "2027-02-12"]);
    expect(night.until).toBe("2027-02-13T09:00:00Z"); // now lies in what is drawn
    expect((await at("2027-02-12T23:30")).today).toBe("2027-02-12");
    expect((await at("2027-02-13T04:00")).today).toBe("2027-02-13");
    expect((await at("2027-02-14T00:30")).today).toBe("2027-02-14"); // no night began on Saturday
    expect([(await at("2027-02-15T01:30")).today, (await at("2027-02-15T02:30")).today]).toEqual(["2027-02-14", "2027-02-15"]);
  });
});
