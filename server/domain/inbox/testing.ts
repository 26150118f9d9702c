// For tests: a clinic, events of its appointments, and consumers whose effects can be counted.
import type { Db, Tx } from "@/db/client";
import { parseDigestKeys } from "@/server/canonical-hash";
import { systemClock } from "@/server/clock";
import { toRecord } from "@/server/domain/event-log/envelope";
import { partitionKey } from "@/server/domain/event-log/partition-key";
import type { NewRecord } from "@/server/domain/event-log/port";
import { newRef, newUuid } from "@/server/ids";
import { type ConsumerEvent, done, type InboxRuntime, type LogicalConsumer, type Outcome } from "./types";

export type TestScope = { tenantGroupId: string; clinicId: string };

/** A tenant group with one clinic. `superuser`: a test database's own handle. */
export async function insertTestScope(superuser: Db): Promise<TestScope> {
  const sql = superuser.$client;
  const [tenant] = await sql`insert into tenant_groups (ref, name) values (${newRef("TG")}, 'Tenant') returning id`;
  const [clinic] = await sql`
    insert into clinics (tenant_group_id, ref, name, zone) values (${tenant?.id}, ${newRef("CL")}, 'Clinic', 'Europe/Berlin') returning id`;
  return { tenantGroupId: tenant?.id, clinicId: clinic?.id };
}

/** The record of the `seq`-th change of an appointment, as the relay publishes it. */
export function sampleRecord(
  scope: TestScope,
  aggregateId: string,
  seq: number,
  more: { eventId?: string; toStatus?: string } = {},
): NewRecord {
  return toRecord({
    eventId: more.eventId ?? newUuid(),
    type: "AppointmentStatusChanged",
    schemaVersion: 1,
    ...scope,
    commandId: newUuid(),
    aggregateType: "appointment",
    aggregateId,
    aggregateSeq: String(seq),
    occurredAt: "2026-05-04T06:00:00Z",
    partitionKey: partitionKey(scope.tenantGroupId, scope.clinicId, aggregateId),
    payload: {
      appointmentId: aggregateId,
      appointmentRef: "APT-7F3K2M",
      version: String(seq),
      clinicId: scope.clinicId,
      change: "STATUS_CHANGED",
      fromStatus: null,
      toStatus: more.toStatus ?? "CONFIRMED",
      localDate: "2026-05-04",
      fromLocalDate: null,
      startsAt: "2026-05-04T07:00:00Z",
      endsAt: "2026-05-04T07:30:00Z",
      fromStartsAt: null,
      doctorId: scope.clinicId,
      fromDoctorId: null,
      treatmentId: scope.clinicId,
      reasonCode: null,
    },
  });
}

/** A table that takes an effect twice, so that a second one is seen. */
export const makeEffectsTable = (superuser: Db) =>
  superuser.$client.unsafe(
    "create table if not exists test_effects (n bigserial, consumer text, event_id uuid, aggregate_id uuid, seq int8); grant insert, select on test_effects to aops_worker; grant usage on sequence test_effects_n_seq to aops_worker",
  );

/** Writes one effect for each event, and then ends as `answer` says for it. */
export function effectConsumer(
  answer: (event: ConsumerEvent, events: ConsumerEvent[]) => Outcome | Promise<Outcome> = () => done,
  more: Partial<LogicalConsumer> = {},
): LogicalConsumer {
  const consumer: LogicalConsumer = {
    id: "test-effects-v1",
    topics: ["appointment.v1"],
    order: "ordered",
    ...more,
    handle: async (tx, events) => {
      await writeEffects(tx, consumer.id, events);
      const outcomes: Outcome[] = [];
      for (const event of events) outcomes.push(await answer(event, events));
      return outcomes;
    },
  };
  return consumer;
}

const writeEffects = (tx: Tx, consumer: string, events: ConsumerEvent[]) => tx.sql`
  insert into test_effects (consumer, event_id, aggregate_id, seq)
  select ${consumer}, *
  from unnest(${events.map((event) => event.eventId)}::uuid[], ${events.map((event) => event.aggregateId)}::uuid[],
    ${events.map((event) => event.aggregateSeq)}::int8[])`;

export const testRing = parseDigestKeys(`k1:${Buffer.from(Array.from({ length: 32 }, (_, i) => i * 5)).toString("base64")}`);

export const testRuntime = (db: Db, more: Partial<InboxRuntime> = {}): InboxRuntime => ({
  db,
  worker: "worker-a",
  logId: "memory-1",
  ring: testRing,
  clock: systemClock,
  random: () => 0,
  leaseWaitMs: 100,
  ...more,
});

export const testControl = (signal = new AbortController().signal) => ({ signal, heartbeat: async () => {} });
