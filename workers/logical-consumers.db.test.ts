import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withRead } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { parseDigestKeys } from "@/server/canonical-hash";
import { systemClock } from "@/server/clock";
import { cancelAppointment } from "@/server/domain/appointments/cancel-appointment";
import { changeStatus } from "@/server/domain/appointments/change-status";
import { createAppointment } from "@/server/domain/appointments/create-appointment";
import { checkDailyLoad, dailyLoad } from "@/server/domain/appointments/daily-load-query";
import { rescheduleAppointment } from "@/server/domain/appointments/reschedule-appointment";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import type { EventLog, LogRecord } from "@/server/domain/event-log/port";
import type { CommandDeps } from "@/server/domain/idempotency/types";
import { processBatch } from "@/server/domain/inbox/process-batch";
import type { InboxRuntime } from "@/server/domain/inbox/types";
import { createCircuit } from "@/server/domain/notifications/circuit";
import { dispatchOnce } from "@/server/domain/notifications/dispatch-once";
import { mailboxProvider } from "@/server/domain/notifications/mailbox";
import { relayOnce } from "@/server/domain/outbox/relay-once";
import type { PersonActor } from "@/server/domain/scope/actor";
import { openPostgresLog, preparePostgresLog } from "@/server/event-log/postgres";
import { aTuesday, at } from "@/server/http/operations/testing";
import { logicalConsumers } from "./logical-consumers";

let db: TestDatabase;
let fixture: ClinicFixture;
let log: EventLog;
let runtime: InboxRuntime;
let deps: CommandDeps;
const ring = parseDigestKeys(`k1:${Buffer.from("a synthetic key of 32 bytes long!").toString("base64")}`);

beforeAll(async () => {
  db = await createTestDatabase();
  fixture = await createClinicFixture(db.migrator, { patients: 6 });
  await preparePostgresLog(db.worker);
  log = openPostgresLog(db.worker);
  runtime = { db: db.worker, worker: "consumer-1", logId: await log.logId(), ring, clock: systemClock, random: () => 0 };
  deps = { db: db.web, digestKeys: ring, retentionHours: 24, waitMs: 2_000 };
});
afterAll(() => db.close());

const desk = (): PersonActor => ({
  kind: "person",
  ...fixture.t1.ber.scope,
  userId: randomUUID(),
  ref: "ST-000001",
  roles: [{ role: "FRONT_DESK", clinicId: null }],
});
const call = (body: unknown) => ({
  actor: desk(),
  clinicId: fixture.t1.ber.id,
  key: randomUUID(),
  requestId: randomUUID(),
  method: "POST",
  body,
});
const change = (id: string, version: number, body: unknown) => ({ ...call(body), appointmentId: id, expectedVersion: String(version) });

async function book(patient: number, time: string): Promise<string> {
  const input = {
    patient: { id: fixture.t1.patients[patient]?.id as string },
    treatmentId: fixture.t1.ber.treatments.VISIT30,
    doctorId: fixture.t1.ber.doctors[0]?.id as string,
    startsAt: at("Europe/Berlin", time),
  };
  const answer = await createAppointment(deps, call(input), input);
  return JSON.parse(answer.body).id;
}

/** All records of the log, in the order of their partitions. */
async function records(): Promise<LogRecord[]> {
  const found: LogRecord[] = [];
  for (const { partition, low, high } of await log.watermarks("appointment.v1")) {
    const offsets = Array.from({ length: Number(high) - Number(low) }, (_, at) => String(Number(low) + at));
    const read = await log.readAt("appointment.v1", partition, offsets, { deadlineMs: 5_000 });
    for (const record of read.values()) if (record !== "EXPIRED") found.push(record);
  }
  return found;
}
const control = { signal: new AbortController().signal, heartbeat: async () => {} };
const relay = async () => {
  const options = { worker: "relay-1", clock: systemClock, random: () => 0 };
  while ((await relayOnce(db.worker, log, options)).claimed > 0);
};
const consume = async (batch: LogRecord[]) =>
  Object.fromEntries(
    await Promise.all(logicalConsumers.map(async (of) => [of.id, await processBatch(runtime, of, batch, control)] as const)),
  );

describe("the registered consumers, from commands to effects", () => {
  it("count the day, plan the reminders and tell the patients once, however often the log is read", async () => {
    const kept = await book(0, "09:00");
    const moved = await book(1, "09:30");
    const cancelled = await book(2, "10:00");
    const released = await book(3, "10:30");
    const to = { startsAt: at("Europe/Berlin", "09:30", 1) };
    await rescheduleAppointment(deps, change(moved, 1, to), to);
    await cancelAppointment(deps, change(cancelled, 1, {}), { reasonCode: "PATIENT_REQUEST" });
    const release = { to: "PENDING_RESCHEDULE" as const, reasonCode: "DOCTOR_ABSENT" as const };
    await changeStatus(deps, change(released, 1, release), release);

    await relay();
    const batch = await records();
    expect(batch).toHaveLength(7);
    const first = await consume(batch);
    expect(first["daily-load-v1"]).toMatchObject({ received: 7, processed: 7, duplicate: 0, quarantined: 0, retryable: 0 });
    // the first events of the three visits that have changed since meet a newer visit; the cancelled and the released one have no reminder to take back
    expect(first["reminder-planner-v1"]).toMatchObject({ received: 7, processed: 2, noEffect: 5, quarantined: 0, retryable: 0 });
    const again = await consume(batch);
    for (const counts of Object.values(again)) expect(counts).toMatchObject({ received: 7, processed: 0, duplicate: 7 });

    const { scope, id } = fixture.t1.ber;
    const [tuesday, wednesday] = [aTuesday.toString(), aTuesday.add({ days: 1 }).toString()];
    const days = await withRead(db.web, scope, (tx) => dailyLoad(tx, scope, id, tuesday, wednesday));
    expect(days).toMatchObject([
      { localDate: tuesday, booked: 1, arrived: 0, done: 0, noShow: 0 },
      { localDate: wednesday, booked: 1, arrived: 0, done: 0, noShow: 0 },
    ]);
    expect(await withRead(db.worker, { worker: "check" }, checkDailyLoad)).toEqual([]);
    const reminders = await db.superuser.$client`select appointment_id, state, due_at from reminders order by due_at`;
    expect(reminders.map((row) => ({ ...row, due_at: Date.parse(row.due_at) }))).toEqual([
      { appointment_id: kept, state: "PLANNED", due_at: Date.parse(at("Europe/Berlin", "09:00", -1)) },
      { appointment_id: moved, state: "PLANNED", due_at: Date.parse(at("Europe/Berlin", "09:30")) },
    ]);

    const dispatcher = {
      provider: mailboxProvider(db.worker, "dispatch-1"),
      circuit: createCircuit(systemClock),
      clock: systemClock,
      worker: "dispatch-1",
    };
    expect(await dispatchOnce(db.worker, dispatcher)).toMatchObject({ claimed: 6, sent: 3, suppressed: 3 });
    expect(await dispatchOnce(db.worker, dispatcher)).toMatchObject({ claimed: 0 });
    const told = await db.superuser.$client`
      select i.appointment_id, i.kind, i.reason_code, a.told_placement_version = a.placement_version as is_told
      from notification_intents i join appointments a on a.id = i.appointment_id
      order by array_position(${[kept, moved, cancelled, released]}::uuid[], i.appointment_id), i.appointment_version`;
    expect(told).toEqual([
      { appointment_id: kept, kind: "BOOKED", reason_code: null, is_told: true },
      { appointment_id: moved, kind: "BOOKED", reason_code: "SUPERSEDED", is_told: true },
      { appointment_id: moved, kind: "MOVED", reason_code: null, is_told: true },
      { appointment_id: cancelled, kind: "BOOKED", reason_code: "VISIT_CANCELLED", is_told: true },
      { appointment_id: cancelled, kind: "CANCELLED", reason_code: null, is_told: true },
      { appointment_id: released, kind: "BOOKED", reason_code: "AWAITING_NEW_TIME", is_told: null },
    ]);
  });

  it("keep to their identities and topics, which are part of every stored row", () => {
    expect(logicalConsumers.map(({ id, topics }) => [id, topics])).toEqual([
      ["daily-load-v1", ["appointment.v1"]],
      ["reminder-planner-v1", ["appointment.v1"]],
      ["planning-trigger-v1", ["clinic-fact.v1"]],
    ]);
  });
});
