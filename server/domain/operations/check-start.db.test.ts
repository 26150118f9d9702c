import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Tx, withRead, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { findPlacement } from "@/server/domain/appointments/find-placement";
import { insertAbsence, insertBreak, insertClosure } from "@/server/domain/clinics/set-up";
import { type ClinicFixture, createClinicFixture, plainDay } from "@/server/domain/clinics/testing";
import { insertBareVisit } from "@/server/domain/clinics/testing-visits";
import type { PersonActor, Role } from "@/server/domain/scope/actor";
import { checkStart, type StartWish } from "./check-start";
import { deskWeek } from "./desk-week";

let db: TestDatabase;
let world: ClinicFixture;

beforeAll(async () => {
  db = await createTestDatabase();
  world = await createClinicFixture(db.migrator);
});
afterAll(() => db.close());

const person = (role: Role, clinicIds: string[], deskOf: string): PersonActor => ({
  kind: "person",
  tenantGroupId: world.t1.tenantGroupId,
  clinicIds,
  userId: "00000000-0000-7000-8000-000000000001",
  ref: "ST-000001",
  roles: [{ role, clinicId: deskOf }],
});
const read = <T>(actor: PersonActor, question: (tx: Tx) => Promise<T>) => withRead(db.web, actor, question);
const wish = (local: string, more: Partial<StartWish> = {}): StartWish => ({
  clinicId: world.t1.ber.id,
  treatmentId: world.t1.ber.treatments.VISIT30,
  local,
  ...more,
});

describe("a wished time at the desk", () => {
  it("is free with the doctor that a booking would get, or blocked by visit, break and absence, by name", async () => {
    const { ber, patients } = world.t1;
    const [first, second] = ber.doctors.map(({ id }) => id) as [string, string];
    const desk = person("FRONT_DESK", [ber.id], ber.id);
    const patientId = patients[0]?.id as string;
    const visit = await withTx(db.migrator, {}, async (tx) => {
      const { placement } = await findPlacement(tx, desk, { ...wish(""), patientId, doctorId: first, startsAt: `${plainDay}T10:00` });
      return insertBareVisit(tx, ber, { treatmentId: ber.treatments.VISIT30, patientId, placement });
    });
    const free = await read(desk, (tx) => checkStart(tx, desk, wish(`${plainDay}T10:00`)));
    expect(free).toMatchObject({ end: "FREE", startsAt: "2027-02-09T09:00:00Z", doctorId: second });
    await withTx(db.migrator, {}, async (tx) => {
      await insertBreak(tx, ber, { doctorId: second, interval: ["10:15", "10:45"], label: "Team round" });
    });
    const blocked = await read(desk, (tx) => checkStart(tx, desk, wish(`${plainDay}T10:00`)));
    if (blocked.end !== "BLOCKED") throw new Error(blocked.end);
    expect(blocked.blockers.map(({ code, visit: held }) => [code, held])).toEqual([
      ["DOCTOR_TAKEN", { patient: "Patient 1", treatment: "Visit 30 min" }],
      ["BREAK", null],
    ]);
    // The visit that moves is not in its own way.
    const own = await read(desk, (tx) =>
      checkStart(tx, desk, wish(`${plainDay}T10:15`, { doctorId: first, ignoreAppointmentId: visit.id })),
    );
    expect(own.end).toBe("FREE");
    await withTx(db.migrator, {}, (tx) =>
      insertAbsence(tx, ber, { doctorId: first, from: "2027-02-10T09:00", until: "2027-02-10T12:00" }).then(() => undefined),
    );
    const absent = await read(desk, (tx) => checkStart(tx, desk, wish("2027-02-10T10:00", { doctorId: first })));
    expect(absent).toMatchObject({ end: "BLOCKED", blockers: [{ code: "DOCTOR_ABSENT", visit: null }] });
  });

  it("H-M3 names the visit to the desk of its clinic only", async () => {
    const { ber, nyc } = world.t1;
    const elsewhere = person("FRONT_DESK", [ber.id, nyc.id], nyc.id);
    const answer = await read(elsewhere, (tx) => checkStart(tx, elsewhere, wish(`${plainDay}T10:00`, { doctorId: ber.doctors[0]?.id })));
    if (answer.end !== "BLOCKED") throw new Error(answer.end);
    expect(JSON.stringify(answer)).not.toContain("Patient 1");
    const foreign = person("FRONT_DESK", [nyc.id], nyc.id);
    await expect(read(foreign, (tx) => checkStart(tx, foreign, wish(`${plainDay}T10:00`)))).rejects.toMatchObject({ code: "not-found" });
  });

  it("that the clock shows twice or never is asked about, not guessed", async () => {
    const desk = person("FRONT_DESK", [world.t1.ber.id], world.t1.ber.id);
    const check = (local: string, utcOffset?: string) =>
      read(desk, (tx) => checkStart(tx, desk, wish(local, utcOffset ? { utcOffset } : {})));
    expect(await check("2027-10-31T02:20")).toMatchObject({
      end: "AMBIGUOUS",
      choices: [{ utcOffset: "+02:00" }, { utcOffset: "+01:00" }],
    });
    expect(await check("2027-10-31T02:20", "+01:00")).toMatchObject({ startsAt: "2027-10-31T01:20:00Z" });
    expect((await check("2027-03-28T02:20")).end).toBe("NONEXISTENT");
    await expect(check("2027-02-30T10:00")).rejects.toMatchObject({ code: "request-invalid" });
  });
});

describe("the week of a desk", () => {
  it("H-F3 has its open days open while the rest is closed, by as many queries as any other week", async () => {
    const { sel } = world.t1;
    const desk = person("FRONT_DESK", [sel.id], sel.id);
    const counted = async (date: string) => {
      let statements = 0;
      const week = await read(desk, (tx) => {
        const apply = (target: Tx["sql"], self: unknown, args: unknown[]) => {
          if (Array.isArray(args[0]) && "raw" in args[0]) statements++; // sql(…) alone makes a part of a statement
          return Reflect.apply(target, self, args);
        };
        const sql = new Proxy(tx.sql, { apply });
        return deskWeek({ ...tx, sql } as Tx, desk, { clinicId: sel.id, date });
      });
      return { week, statements };
    };
    const before = await counted("2027-03-30");
    await withTx(db.migrator, {}, (tx) =>
      insertClosure(tx, sel, { from: "2027-04-01T12:30", until: "2027-04-12T23:30", reason: "Renovation" }),
    );
    const after = await counted("2027-03-30");
    expect([before.statements, after.statements]).toEqual([2, 2]);
    expect(after.week?.days.map(({ date }) => date)).toEqual(
      [29, 30, 31].map((n) => `2027-03-${n}`).concat(["01", "02", "03", "04"].map((n) => `2027-04-${n}`)),
    );
    const closed = after.week?.days.map(({ blocks }) => blocks.filter(({ kind }) => kind === "CLOSED").length);
    expect(closed).toEqual([0, 0, 0, 1, 1, 1, 1]);
    const next = await counted("2027-04-12");
    expect(next.week?.days.map(({ blocks }) => blocks.some(({ kind }) => kind === "CLOSED"))).toEqual([true, ...Array(6).fill(false)]);
  });

  it("shows each visit once, and names nobody to somebody who is not the clinic's desk", async () => {
    const { ber } = world.t1;
    const desk = person("FRONT_DESK", [ber.id], ber.id);
    const staff = person("STAFF", [ber.id], ber.id);
    const week = await read(desk, (tx) => deskWeek(tx, desk, { clinicId: ber.id, date: plainDay }));
    expect(week?.days.flatMap(({ visits }) => visits.map(({ patient }) => patient.name))).toEqual(["Patient 1"]);
    const unnamed = await read(staff, (tx) => deskWeek(tx, staff, { clinicId: ber.id, date: plainDay }));
    expect(unnamed?.days.flatMap(({ visits }) => visits.map(({ patient }) => patient.name))).toEqual([null]);
    expect(await read(desk, (tx) => deskWeek(tx, desk, { clinicId: world.t1.nyc.id, date: plainDay }))).toBeUndefined();
  });
});
