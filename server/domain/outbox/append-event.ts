import type { PendingQuery, Row } from "postgres";
import type { Tx } from "@/db/client";
import { findContract, recordKey } from "@/server/domain/event-log/contracts/registry";
import { newUuid } from "@/server/ids";

export type NewEvent = {
  /** Made here (uuidv7) when left out. */
  eventId?: string;
  commandId: string;
  tenantGroupId: string;
  clinicId: string;
  topic: string;
  aggregateType: string;
  aggregateId: string;
  /** For appointments the version, taken under the row's lock: the next event of the aggregate must not have been written before. */
  aggregateSeq: string | number | bigint;
  type: string;
  schemaVersion: number;
  payload: object;
  /** W3C trace context of the command; consumers link to it. */
  traceparent?: string | undefined;
};

/**
 * Announces a change in the transaction that makes it: both exist or neither. Takes only a Tx, so it cannot be written outside of one.
 * Throws when the payload does not keep its contract (a bug of the caller); 23505 on outbox_sequence_key when the sequence was used already.
 */
export async function appendEvent(tx: Tx, event: NewEvent): Promise<string> {
  const eventId = event.eventId ?? newUuid();
  await appendEventSql(tx, { ...event, eventId });
  return eventId;
}

/** The same insert as a part of a larger statement: with …, event as (${appendEventSql(tx, event)}) … */
export function appendEventSql(tx: Tx, event: NewEvent): PendingQuery<Row[]> {
  const row = outboxValues(event);
  return tx.sql`
    insert into outbox (event_id, tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq,
      type, schema_version, payload, traceparent)
    values (${row.eventId}::uuid, ${row.tenantGroupId}::uuid, ${row.clinicId}::uuid, ${row.commandId}::uuid, ${row.topic}, ${row.partitionKey},
      ${row.aggregateType}, ${row.aggregateId}::uuid, ${row.aggregateSeq}::bigint, ${row.type}, ${row.schemaVersion}::smallint,
      ${row.payload}::jsonb, ${row.traceparent})`;
}

/** Many events in one insert, each held against its contract; a part of a larger statement too. */
export function appendEventsSql(tx: Tx, events: readonly NewEvent[]): PendingQuery<Row[]> {
  const rows = events.map(outboxValues);
  const all = <K extends keyof (typeof rows)[number]>(name: K) => rows.map((row) => row[name]);
  return tx.sql`
    insert into outbox (event_id, tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq,
      type, schema_version, payload, traceparent)
    select e.event_id, e.tenant_group_id, e.clinic_id, e.command_id, e.topic, e.partition_key, e.aggregate_type, e.aggregate_id, e.aggregate_seq,
      e.type, e.schema_version, e.payload::jsonb, e.traceparent
    from unnest(${all("eventId")}::uuid[], ${all("tenantGroupId")}::uuid[], ${all("clinicId")}::uuid[], ${all("commandId")}::uuid[],
      ${all("topic")}::text[], ${all("partitionKey")}::text[], ${all("aggregateType")}::text[], ${all("aggregateId")}::uuid[],
      ${all("aggregateSeq")}::int8[], ${all("type")}::text[], ${all("schemaVersion")}::int2[], ${all("payload")}::text[],
      ${all("traceparent")}::text[])
      as e (event_id, tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type,
        schema_version, payload, traceparent)`;
}

/** The checked row as plain values; `payload` is JSON text. For statements that compute some of the columns themselves. */
export function outboxValues(event: NewEvent) {
  const contract = findContract(event.type, event.schemaVersion);
  if (contract?.topic !== event.topic || contract.aggregateType !== event.aggregateType)
    throw new Error(`no contract for ${event.type} version ${event.schemaVersion} of ${event.aggregateType} on ${event.topic}`);
  const checked = contract.schema.safeParse(event.payload);
  if (!checked.success)
    throw new Error(`${event.type} breaks its contract at ${checked.error.issues.map((issue) => issue.path.join(".")).join(", ")}`);
  return {
    eventId: event.eventId ?? newUuid(),
    tenantGroupId: event.tenantGroupId,
    clinicId: event.clinicId,
    commandId: event.commandId,
    topic: event.topic,
    partitionKey: recordKey(contract, event),
    aggregateType: event.aggregateType,
    aggregateId: event.aggregateId,
    aggregateSeq: String(event.aggregateSeq),
    type: event.type,
    schemaVersion: event.schemaVersion,
    payload: JSON.stringify(checked.data),
    traceparent: event.traceparent ?? null,
  };
}
