// The desk's day: the same commands as the API's, called as the desk calls them, in a clinic where it is noon and that never closes.
import { Temporal } from "temporal-polyfill";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { parseDigestKeys } from "@/server/canonical-hash";
import { cancelAppointment } from "@/server/domain/appointments/cancel-appointment";
import { changeStatus } from "@/server/domain/appointments/change-status";
import { createAppointment } from "@/server/domain/appointments/create-appointment";
import { appointmentHistory } from "@/server/domain/appointments/history";
import { rescheduleAppointment } from "@/server/domain/appointments/reschedule-appointment";
import * as inputs from "@/server/domain/appointments/types";
import { type ClinicKey, insertClinic, insertDoctor, insertEquipment, insertHours, insertTreatment } from "@/server/domain/clinics/set-up";
import { allDays, type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import type { CommandAnswer, CommandCall, CommandDeps } from "@/server/domain/idempotency/types";
import { checkInvariants } from "@/server/domain/operations/check-invariants";
import { addPatient } from "@/server/domain/patients/add-patient";
import { findPatients } from "@/server/domain/patients/find-patients";
import { getPatient } from "@/server/domain/patients/get-patient";
import { newPatient } from "@/server/domain/patients/types";
import type { PersonActor, Role } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import { newKey } from "./testing";

let db: TestDatabase;
let deps: CommandDeps;
let world: ClinicFixture;
let clinic: ClinicKey;
let doctorId: string;
let treatmentId: string;
/** Noon there, so that what is booked for the next hours is today's. */
const zone = `Etc/GMT${["-", "+"][new Date().getUTCHours() >= 12 ? 1 : 0]}${Math.abs(new Date().getUTCHours() - 12)}`
  .replace("GMT+0", "GMT")
  .replace("GMT-0", "GMT");

beforeAll(async () => {
  db = await createTestDatabase();
  deps = {
    db: db.web,
    digestKeys: parseDigestKeys(`k1:${Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64")}`),
    retentionHours: 24,
    waitMs: 2_000,
  };
  world = await createClinicFixture(db.migrator, { patients: 40 });
  await withTx(db.migrator, {}, async (tx) => {
    clinic = await insertClinic(tx, world.t1.tenantGroupId, { name: "Night and day", zone, gridMinutes: 5 });
    doctorId = (await insertDoctor(tx, clinic, { name: "Doctor N" })).id;
    const hours = { weekdays: allDays, intervals: [["00:00", "00:00"]] as [string, string][] };
    await insertHours(tx, clinic, hours);
    await insertHours(tx, clinic, { ...hours, doctorId });
    const device = await insertEquipment(tx, clinic, { name: "Laser" });
    treatmentId = (await insertTreatment(tx, clinic, { name: "Laser", durationMinutes: 5, needs: [{ equipmentIds: [device.id] }] })).id;
  });
});
afterAll(async () => {
  expect(await checkInvariants(db.superuser)).toEqual([]);
  await db.close();
});

const person = (role: Role = "FRONT_DESK", ref = "ST-000001"): PersonActor => ({
  kind: "person",
  tenantGroupId: world.t1.tenantGroupId,
  clinicIds: [clinic.id],
  userId: newUuid(),
  ref,
  roles: [{ role, clinicId: clinic.id }],
});
const callOf = (body: unknown, key = newKey(), actor = person()): CommandCall => ({
  actor,
  clinicId: clinic.id,
  key,
  requestId: newUuid(),
  method: "MUTATION",
  body,
});
let minute = 10;
/** A start of its own, ten minutes to some hours ahead. */
const soon = (): string => {
  minute += 5;
  const grid = Math.floor(Date.now() / 300_000) * 300_000;
  return Temporal.Instant.fromEpochMilliseconds(grid + minute * 60_000).toString();
};
type Visit = { id: string; ref: string; version: string; status: string; startsAt: string };
const read = (answer: CommandAnswer) => ({ ...answer, json: JSON.parse(answer.body) });
const book = async (startsAt = soon(), patient = 0): Promise<Visit> => {
  const body = { patient: { id: world.t1.patients[patient]?.id }, treatmentId, doctorId, startsAt };
  const answer = read(await createAppointment(deps, callOf(body), inputs.createAppointment.parse(body)));
  expect(answer.status, answer.body).toBe(201);
  return answer.json;
};
const to = async (visit: Visit, body: { to: string; reasonCode?: string }, call = callOf(body)) => {
  const change = { ...call, appointmentId: visit.id, expectedVersion: visit.version };
  return read(await changeStatus(deps, change, inputs.changeStatus.parse(body)));
};
/** Along several states; each must be reached. */
async function along(visit: Visit, ...states: string[]): Promise<Visit> {
  let now = visit;
  for (const state of states) {
    const answer = await to(now, { to: state });
    expect(answer.status, answer.body).toBe(200);
    now = answer.json;
  }
  return now;
}
const rowsOf = async (id: string) => {
  const [row] = await db.superuser.$client`
    select (select array_agg(type order by aggregate_seq) from outbox where aggregate_id = ${id}) as events,
           (select array_agg(kind order by appointment_version) from notification_intents where appointment_id = ${id}) as messages,
           (select count(*)::int from resource_claims where appointment_id = ${id}) as claims`;
  return row;
};

describe("a visit's day at the desk", () => {
  it("is confirmed at once, goes through its states one version each, and the patient is told of the booking only", async () => {
    const visit = await book();
    expect(visit.status).toBe("CONFIRMED");
    const done = await along(visit, "CHECKED_IN", "IN_PROGRESS", "COMPLETED");
    expect(done.version).toBe("4");
    expect(await rowsOf(visit.id)).toEqual({
      events: ["AppointmentCreated", ...Array(3).fill("AppointmentStatusChanged")],
      messages: ["BOOKED"],
      claims: 0,
    });
    const history = await appointmentHistory(db.web, person(), clinic.id, visit.id);
    expect(history.map((entry) => [entry.toStatus, entry.actorRef, entry.source])).toEqual(
      ["CONFIRMED", "CHECKED_IN", "IN_PROGRESS", "COMPLETED"].map((status) => [status, "ST-000001", "DESK"]),
    );
  });

  it("a wrong click goes back by one with a reason, and takes its place again", async () => {
    const done = await along(await book(), "CHECKED_IN", "IN_PROGRESS", "COMPLETED");
    expect((await to(done, { to: "IN_PROGRESS" })).json).toMatchObject({ code: "subject-invalid" });
    const undone = await to(done, { to: "IN_PROGRESS", reasonCode: "WRONG_CLICK" });
    expect([undone.status, undone.json.status]).toEqual([200, "IN_PROGRESS"]);
    expect(await rowsOf(done.id)).toMatchObject({ claims: 3, messages: ["BOOKED"] });
    const back = await to(undone.json, { to: "CHECKED_IN", reasonCode: "WRONG_CLICK" });
    expect((await to(back.json, { to: "CONFIRMED", reasonCode: "WRONG_PATIENT" })).json.status).toBe("CONFIRMED");
  });

  it("its place was given to another visit meanwhile: the undo is refused and says to which", async () => {
    const done = await along(await book(), "CHECKED_IN", "IN_PROGRESS", "COMPLETED");
    const other = await book(done.startsAt, 1);
    const refused = await to(done, { to: "IN_PROGRESS", reasonCode: "WRONG_CLICK" });
    expect(refused.json).toMatchObject({ code: "slot-taken", blockers: [{ appointmentRef: other.ref }] });
    expect(await rowsOf(done.id)).toMatchObject({ claims: 0 });
  });

  it("the click was made on another day: no undo", async () => {
    const checkedIn = await along(await book(), "CHECKED_IN");
    await db.superuser.$client`update appointments set updated_at = updated_at - interval '1 day' where id = ${checkedIn.id}`;
    const refused = await to(checkedIn, { to: "CONFIRMED", reasonCode: "WRONG_CLICK" });
    expect(refused.json).toMatchObject({ code: "move-not-allowed", why: "ANOTHER_DAY" });
  });

  it("nobody has failed to come before the time; afterwards it frees the place and tells nobody", async () => {
    const visit = await book();
    expect((await to(visit, { to: "NO_SHOW" })).json).toMatchObject({ code: "move-not-allowed", why: "NOT_STARTED" });
    await toThePast(visit.id);
    expect((await to(visit, { to: "NO_SHOW" })).json.status).toBe("NO_SHOW");
    expect(await rowsOf(visit.id)).toMatchObject({ claims: 0, messages: ["BOOKED"] });
  });

  it("no one skips a state", async () => {
    const visit = await book();
    for (const state of ["IN_PROGRESS", "COMPLETED", "CONFIRMED"])
      expect((await to(visit, { to: state })).json).toMatchObject({ code: "move-not-allowed", state: "CONFIRMED" });
  });

  it("a colleague at the same desk who retries sends the same command", async () => {
    const visit = await book();
    const body = { to: "CHECKED_IN" };
    const call = callOf(body);
    const first = await to(visit, body, call);
    const again = await to(visit, body, { ...call, actor: person("FRONT_DESK", "ST-000002"), requestId: newUuid() });
    expect([again.body, again.replayed]).toEqual([first.body, true]);
  });

  it("another role of the clinic is refused by name, and the key stays free", async () => {
    const visit = await book();
    const key = newKey();
    for (const role of ["STAFF", "ADMIN", "APPOINTMENT_REPLAY_OPERATOR"] as const) {
      await expect(to(visit, { to: "CHECKED_IN" }, callOf({ to: "CHECKED_IN" }, key, person(role)))).rejects.toMatchObject({
        code: "right-missing",
        extra: { right: "FRONT_DESK" },
      });
      const booking = { patient: { id: world.t1.patients[2]?.id as string }, treatmentId, doctorId, startsAt: soon() };
      await expect(createAppointment(deps, callOf(booking, key, person(role)), booking)).rejects.toMatchObject({
        code: "right-missing",
        extra: { right: "FRONT_DESK" },
      });
      const body = { reasonCode: "OTHER" as const };
      const change = { ...callOf(body, key, person(role)), appointmentId: visit.id, expectedVersion: visit.version };
      const named = { code: "right-missing", extra: { right: "FRONT_DESK" } };
      await expect(cancelAppointment(deps, change, body)).rejects.toMatchObject(named);
      await expect(rescheduleAppointment(deps, change, { startsAt: soon() })).rejects.toMatchObject(named);
    }
    expect((await to(visit, { to: "CHECKED_IN" }, callOf({ to: "CHECKED_IN" }, key))).replayed).toBe(false);
  });
});

describe("people", () => {
  const add = (patient: object, key = newKey()) => addPatient(deps, callOf(patient, key), newPatient.parse(patient)).then(read);
  const found = async (query: string) => (await findPatients(db.web, person(), query)).map(({ name }) => name);

  it("H-L1, H-L4 are kept as they are spelled and found by any spelling", async () => {
    for (const name of ["Zoë 🤡 Ünal", "Métt Straße", "Łukasz İnci", "김하늘", "O’Brien"]) expect((await add({ name })).status).toBe(201);
    expect(await found("zoe")).toEqual(["Zoë 🤡 Ünal"]);
    expect(await found("STRASSE mett")).toEqual(["Métt Straße"]);
    expect(await found("inci")).toEqual(["Łukasz İnci"]);
    expect(await found("김하늘".normalize("NFD"))).toEqual(["김하늘"]);
    expect(await found("obrien")).toEqual(["O’Brien"]);
    expect(await found("%")).toEqual([]);
    expect(await found("   ")).toEqual([]);
  });

  it("H-L3 are found by phone in any format, by birth date and by reference", async () => {
    const { json } = await add({ name: "Person Phone", phone: "+1 202 555 0143", birthDate: "1980-05-17" });
    for (const query of ["202.555.0143", "(202) 555-0143", "+12025550143", "0143", "1980-05-17", json.ref, json.ref.toLowerCase()])
      expect(await found(query), query).toEqual(["Person Phone"]);
    expect((await getPatient(db.web, person(), json.id)).phone).toBe("+1 202 555 0143");
  });

  it("H-L2 a likely duplicate is a question: nothing is added, and the answer covers only those that were shown", async () => {
    const first = await add({ name: "Person One", phone: "+44 1632 960001" });
    const again = { name: "Person Nine", phone: "(+44) 1632-960001" };
    const asked = await add(again);
    expect(asked.json).toMatchObject({ code: "patient-likely-duplicate", duplicates: [{ id: first.json.id, because: "PHONE" }] });
    expect(asked.body).not.toContain("Person");
    expect(await found("Person Nine")).toEqual([]);
    const second = await add({ ...again, acknowledged: [first.json.id] });
    expect(second.status).toBe(201);
    const third = await add({ name: "Person Ten", phone: "+441632960001", acknowledged: [first.json.id] });
    expect(third.json.duplicates).toEqual([{ id: second.json.id, ref: second.json.ref, because: "PHONE" }]);
  });

  it("the same name and birth date are one person likely; the name alone is not", async () => {
    await add({ name: "Ana Álvarez", birthDate: "1990-01-02" });
    expect((await add({ name: "ana alvarez", birthDate: "1990-01-02" })).json.duplicates).toMatchObject([
      { because: "NAME_AND_BIRTH_DATE" },
    ]);
    expect((await add({ name: "Ana Alvarez", birthDate: "1990-01-03" })).status).toBe(201);
    expect((await add({ name: "Ana Alvarez" })).status).toBe(201);
  });

  it("adding is a command: the retry adds nobody, and the stored answer names nobody", async () => {
    const key = newKey();
    const first = await add({ name: "Planted Personname", phone: "+49 30 901820" }, key);
    const again = await add({ name: "Planted Personname", phone: "+49 30 901820" }, key);
    expect([again.body, again.replayed]).toEqual([first.body, true]);
    expect(await found("planted")).toHaveLength(1);
    const [row] = await db.superuser.$client`
      select count(*)::int as count from idempotency_keys k, audit_entries a where k::text || a::text ~ 'Personname|901820'`;
    expect(row?.count).toBe(0);
  });

  it("are shown to a front desk and to nobody else, and only those of the own tenant group", async () => {
    for (const role of ["STAFF", "ADMIN"] as const)
      await expect(findPatients(db.web, person(role), "person")).rejects.toMatchObject({ code: "right-missing" });
    await expect(getPatient(db.web, person(), world.t2.patients[0]?.id as string)).rejects.toMatchObject({ code: "not-found" });
  });
});

/** The hour passes: the visit and what it holds lie an hour earlier. */
async function toThePast(id: string): Promise<void> {
  await db.superuser.$client.begin(async (sql) => {
    await sql`
      update appointments
      set starts_at = starts_at - interval '6 hours', ends_at = ends_at - interval '6 hours', local_start = local_start - interval '6 hours'
      where id = ${id}`;
    await sql`
      update resource_claims
      set during = tstzrange(lower(during) - interval '6 hours', upper(during) - interval '6 hours')
      where appointment_id = ${id}`;
    await sql`update appointment_history set to_starts_at = to_starts_at - interval '6 hours' where appointment_id = ${id}`;
  });
}
