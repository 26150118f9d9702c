import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Tx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { cancelAppointment } from "@/server/domain/appointments/cancel-appointment";
import { createAppointment } from "@/server/domain/appointments/create-appointment";
import { type ClinicFixture, createClinicFixture } from "@/server/domain/clinics/testing";
import type { EventLog } from "@/server/domain/event-log/port";
import type { CommandDeps } from "@/server/domain/idempotency/types";
import { retryOnce } from "@/server/domain/inbox/retry-once";
import { testRing } from "@/server/domain/inbox/testing";
import { type ConsumerEvent, done } from "@/server/domain/inbox/types";
import { relayOnce } from "@/server/domain/outbox/relay-once";
import type { PersonActor } from "@/server/domain/scope/actor";
import type { WorkerEnv } from "@/server/env";
import { openPostgresLog, preparePostgresLog } from "@/server/event-log/postgres";
import { at } from "@/server/http/operations/testing";
import { withDemoFaults } from "./demo-faults";
import { inboxRuntime } from "./inbox-runtime";
import type { WorkerContext } from "./worker-context";
import { WorkerStatus } from "./worker-status";

let db: TestDatabase;
let fixture: ClinicFixture;
let log: EventLog;
let deps: CommandDeps;
beforeAll(async () => {
  db = await createTestDatabase();
  fixture = await createClinicFixture(db.migrator, { patients: 1 });
  await preparePostgresLog(db.worker);
  log = openPostgresLog(db.worker);
  deps = { db: db.web, digestKeys: testRing, retentionHours: 24, waitMs: 2_000 };
});
afterAll(() => db.close());

const call = (body: unknown) => {
  const { scope, id } = fixture.t1.ber;
  const actor: PersonActor = {
    kind: "person",
    ...scope,
    userId: randomUUID(),
    ref: "ST-000001",
    roles: [{ role: "FRONT_DESK", clinicId: null }],
  };
  return { actor, clinicId: id, key: randomUUID(), requestId: randomUUID(), method: "MUTATION", body };
};

/** A visit with two events, as the seed leaves some: booked and called off, which gives the place back for the next one. */
async function bookAndCancel(): Promise<string> {
  const { ber, patients } = fixture.t1;
  const input = {
    patient: { id: patients[0]?.id as string },
    treatmentId: ber.treatments.VISIT30,
    doctorId: ber.doctors[0]?.id as string,
    startsAt: at("Europe/Berlin", "09:00"),
  };
  const booked = await createAppointment(deps, call(input), input);
  const { id } = JSON.parse(booked.body) as { id: string };
  const reason = { reasonCode: "PATIENT_REQUEST" as const };
  const cancelled = await cancelAppointment(deps, { ...call(reason), appointmentId: id, expectedVersion: "1" }, reason);
  expect([booked.status, cancelled.status]).toEqual([201, 200]);
  return id;
}

/** What the switch has in store for the visit in that consumer. Its lot is drawn from its id, so that it stays the same over restarts. */
async function lotOf(consumer: string, aggregateId: string): Promise<string | undefined> {
  const plain = { id: consumer, topics: [], order: "ordered" as const, handle: async () => [done] };
  const event = { aggregateId, occurredAt: "2020-01-01T00:00:00Z" } as ConsumerEvent;
  return (await withDemoFaults(plain, "2020-01-02T00:00:00Z").handle({} as Tx, [event]))[0]?.kind;
}

function context(signal: AbortSignal): WorkerContext {
  const status = new WorkerStatus("appointment-consumers", "appointment-consumers:test", systemClock);
  const env = { DEMO: true, DEMO_FAULTS: true, DIGEST_KEYS: testRing, WORKER_LEASE_MS: 30_000 } as WorkerEnv;
  return { db: db.worker, eventLog: log, env, clock: systemClock, random: () => 0, signal, status };
}

const consumer = "daily-load-v1";
const rowsOf = (visit: string | undefined) => db.superuser.$client`
  select state, reason_code, attempts, aggregate_seq::int as seq, blocked_by is not null as is_blocked,
         next_attempt_at > clock_timestamp() + interval '5 hours' as is_hours_ahead
  from inbox where aggregate_id = ${visit as string} and consumer = ${consumer} order by aggregate_seq`;

it("with the switch on, the real consumers leave lasting rows: retry wait for hours, quarantine, and later events behind both", async () => {
  const visits: Record<string, string> = {};
  let booked = 0;
  for (; !(visits.quarantine && visits.retryLater && visits.done); booked++) {
    const visit = await bookAndCancel();
    visits[(await lotOf(consumer, visit)) ?? ""] ??= visit;
  }
  const relay = { worker: "relay-1", clock: systemClock, random: () => 0 };
  while ((await relayOnce(db.worker, log, relay)).claimed > 0);
  // only now, as the demo starts its workers: what was booked before the start of their process counts as seeded
  const { registeredConsumers } = await import("./registered-consumers");
  const { appointmentConsumers } = await import("./appointment-consumers");

  const stopping = new AbortController();
  const running = appointmentConsumers(context(stopping.signal));
  const arrived = async () => Number((await db.superuser.$client`select count(*) as n from inbox where state <> 'PROCESSING'`)[0]?.n);
  await expect.poll(arrived, { timeout: 100_000, interval: 100 }).toBe(2 * 2 * booked); // two events, two consumers
  stopping.abort();
  await running;

  const quarantined = { state: "QUARANTINED", reason_code: "DEMO_FAULT", attempts: 1, seq: 1, is_blocked: false, is_hours_ahead: null };
  const waiting = { state: "RETRYABLE", reason_code: "DEMO_FAULT", attempts: 1, seq: 1, is_blocked: false, is_hours_ahead: true };
  const behind = { state: "RETRYABLE", reason_code: "BLOCKED_BY", attempts: 0, seq: 2, is_blocked: true, is_hours_ahead: null };
  const stand = async () => [await rowsOf(visits.quarantine), await rowsOf(visits.retryLater)];
  expect(await stand()).toEqual([
    [quarantined, behind],
    [waiting, behind],
  ]);
  expect(await rowsOf(visits.done)).toMatchObject([{ state: "PROCESSED" }, { state: "PROCESSED" }]);

  // lasting: the scheduler finds nothing that is due
  const runtime = await inboxRuntime(context(stopping.signal));
  const control = { signal: new AbortController().signal, heartbeat: async () => {} };
  const consumers = registeredConsumers({ DEMO: true, DEMO_FAULTS: true });
  expect(await retryOnce(runtime, log, consumers, control)).toMatchObject({ due: 0, released: 0 });
  expect(await stand()).toEqual([
    [quarantined, behind],
    [waiting, behind],
  ]);
});
