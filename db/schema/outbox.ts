// Boundary 2. A row is written with the change it announces; the relay drains it to the event log, head of each key first.
// A growing count of PENDING rows means that the relay or the log is down; a FAILED head blocks its key until STAFF decide.
// A published row leaves after its retention; what stays of it is a row of publications, without the payload. View announced_events: both.
import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, smallint, text, unique, uuid } from "drizzle-orm/pg-core";
import { clinicId, counter, createdAt, instant, tenantGroupId } from "./columns";

export const outboxStates = ["PENDING", "CLAIMED", "PUBLISHED", "FAILED", "SKIPPED"] as const;

export const outbox = pgTable(
  "outbox",
  {
    eventId: uuid().primaryKey().default(sql`uuidv7()`),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    commandId: uuid().notNull(),
    topic: text().notNull(),
    /** Length-framed tenant/clinic/aggregate: decides the partition, and with it the order. */
    partitionKey: text().notNull(),
    aggregateType: text().notNull(),
    aggregateId: uuid().notNull(),
    /** For appointments the version, taken under the row lock. */
    aggregateSeq: counter().notNull(),
    type: text().notNull(),
    schemaVersion: smallint().notNull(),
    payload: jsonb().notNull(),
    traceparent: text(),
    state: text().notNull().default("PENDING"),
    attempts: integer().notNull().default(0),
    nextAttemptAt: instant(),
    fence: counter().notNull().default(sql`0`),
    leaseOwner: text(),
    leaseUntil: instant(),
    reasonCode: text(),
    logId: text(),
    logPartition: integer(),
    logOffset: counter(),
    occurredAt: createdAt(),
    publishedAt: instant(),
  },
  (t) => [
    unique("outbox_sequence_key").on(t.aggregateType, t.aggregateId, t.aggregateSeq),
    // claim: the lowest unpublished sequence of each key; the published tail stays out of it
    index("outbox_unpublished").on(t.aggregateType, t.aggregateId, t.aggregateSeq).where(sql`state not in ('PUBLISHED', 'SKIPPED')`),
    index("outbox_due").on(t.occurredAt).where(sql`state not in ('PUBLISHED', 'SKIPPED')`), // claim order and oldest age
    index("outbox_command").on(t.commandId), // story: where command_id
    check("outbox_state", sql`state in ('PENDING', 'CLAIMED', 'PUBLISHED', 'FAILED', 'SKIPPED')`),
    check("outbox_lease", sql`(state = 'CLAIMED') = (lease_until is not null) and (state = 'CLAIMED') = (lease_owner is not null)`),
    check(
      "outbox_published",
      sql`(state = 'PUBLISHED') = (published_at is not null) and (state = 'PUBLISHED') = (log_offset is not null) and (log_offset is null) = (log_id is null) and (log_offset is null) = (log_partition is null)`,
    ),
    check("outbox_reason", sql`state not in ('FAILED', 'SKIPPED') or reason_code is not null`),
    check("outbox_payload", sql`jsonb_typeof(payload) = 'object'`),
  ],
);

/** What stays of an event whose row has left the outbox: who announced what, and where it lies. Written once, by the sweep that removes the row. */
export const publications = pgTable(
  "publications",
  {
    eventId: uuid().primaryKey(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    commandId: uuid().notNull(),
    topic: text().notNull(),
    aggregateType: text().notNull(),
    aggregateId: uuid().notNull(),
    aggregateSeq: counter().notNull(),
    type: text().notNull(),
    schemaVersion: smallint().notNull(),
    attempts: integer().notNull(),
    logId: text().notNull(),
    logPartition: integer().notNull(),
    logOffset: counter().notNull(),
    occurredAt: instant().notNull(),
    publishedAt: instant().notNull(),
    /** When the row left the outbox. */
    leftAt: createdAt(),
  },
  (t) => [
    // a new event: where aggregate_type and aggregate_id and aggregate_seq (trigger outbox_sequence_once); search: where aggregate_type and aggregate_id
    unique("publications_sequence_key").on(t.aggregateType, t.aggregateId, t.aggregateSeq),
    index("publications_command").on(t.commandId), // story: where command_id
  ],
);
