// Boundary 3. One row for each (logical consumer, event): identity, scope, keyed digest, positions, state; never the payload.
// Written by the consumer runtime and the retry scheduler. inbox_deliveries is append-only: every arrival or attempt.
// A growing count of RETRYABLE rows means a dependency is down; QUARANTINED rows wait for STAFF and are never pruned before a decision.
import { sql } from "drizzle-orm";
import { bigint, check, index, integer, pgTable, primaryKey, smallint, text, unique, uuid } from "drizzle-orm/pg-core";
import { clinicId, counter, createdAt, id, instant, tenantGroupId } from "./columns";

export const inboxStates = ["PROCESSING", "PROCESSED", "RETRYABLE", "QUARANTINED"] as const;

export const inbox = pgTable(
  "inbox",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    consumer: text().notNull(),
    eventId: uuid().notNull(),
    commandId: uuid(),
    eventType: text().notNull(),
    schemaVersion: integer().notNull(),
    aggregateType: text().notNull(),
    aggregateId: uuid().notNull(),
    aggregateSeq: counter().notNull(),
    contentDigest: text().notNull(),
    digestKeyId: text().notNull(),
    logId: text().notNull(),
    topic: text().notNull(),
    partition: integer().notNull(),
    firstOffset: bigint({ mode: "bigint" }).notNull(),
    lastPartition: integer().notNull(),
    lastOffset: bigint({ mode: "bigint" }).notNull(),
    state: text().notNull(),
    attempts: integer().notNull().default(0),
    attemptsMax: integer().notNull(),
    fence: counter().notNull().default(sql`0`),
    leaseOwner: text(),
    leaseUntil: instant(),
    nextAttemptAt: instant(),
    reasonCode: text(),
    /** The earlier unfinished row of the same consumer and key that this one waits behind. */
    blockedBy: uuid(),
    /** Which effect the handler reports: APPLIED or NO_EFFECT (with the reason). */
    effect: text(),
    /** The approved replay that made the last claim; null: the usual way. */
    replayRequestId: uuid(),
    /** Grows with every change of the row: an action names the version it was decided on. */
    version: counter().notNull().default(sql`1`),
    receivedAt: createdAt(),
    processedAt: instant(),
    quarantinedAt: instant(),
    updatedAt: instant().notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    unique("inbox_identity_key").on(t.consumer, t.eventId),
    // ordered consumers: where consumer and aggregate and aggregate_seq < $seq and not settled
    index("inbox_unfinished").on(t.consumer, t.aggregateType, t.aggregateId, t.aggregateSeq).where(sql`state <> 'PROCESSED'`),
    index("inbox_due").on(t.nextAttemptAt).where(sql`state = 'RETRYABLE' and blocked_by is null`), // retry tick
    index("inbox_expired").on(t.leaseUntil).where(sql`state = 'PROCESSING'`), // take-over of expired leases
    index("inbox_blocked").on(t.blockedBy).where(sql`blocked_by is not null`), // release: where blocked_by = settled row
    // Each index on a row that is written twice (claimed, settled) costs two entries; so there is none on command or aggregate (their events are
    // found in announced_events, and the rows of an event by the key above, which PostgreSQL skips through consumer by consumer), and these hold one state each.
    index("inbox_stopped").on(t.clinicId, t.quarantinedAt, t.id).where(sql`state = 'QUARANTINED'`), // decisions: where clinic_id
    // waiting: where clinic_id and state = 'RETRYABLE' order by next_attempt_at, id; rows behind another one have no time, and follow by id
    index("inbox_waiting").on(t.clinicId, t.nextAttemptAt, t.id).where(sql`state = 'RETRYABLE'`),
    check("inbox_state", sql`state in ('PROCESSING', 'PROCESSED', 'RETRYABLE', 'QUARANTINED')`),
    check("inbox_lease", sql`(state = 'PROCESSING') = (lease_until is not null) and (state = 'PROCESSING') = (lease_owner is not null)`),
    check("inbox_processed", sql`(state = 'PROCESSED') = (processed_at is not null) and (state = 'PROCESSED') = (effect is not null)`),
    check("inbox_effect", sql`effect in ('APPLIED', 'NO_EFFECT') and (effect <> 'NO_EFFECT' or reason_code is not null)`),
    check("inbox_quarantined", sql`(state = 'QUARANTINED') = (quarantined_at is not null)`),
    check("inbox_reason", sql`state not in ('RETRYABLE', 'QUARANTINED') or reason_code is not null`),
    check(
      "inbox_retryable",
      sql`(state = 'RETRYABLE') = (next_attempt_at is not null or blocked_by is not null) and (blocked_by is not null) = (reason_code is not distinct from 'BLOCKED_BY')`,
    ),
    check("inbox_attempts", sql`attempts >= 0 and attempts_max > 0`),
  ],
);

export const inboxDeliveries = pgTable(
  "inbox_deliveries",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    inboxId: uuid().notNull(),
    consumer: text().notNull(),
    eventId: uuid().notNull(),
    commandId: uuid(),
    /** The attempt it was; null for an arrival that ran no handler (DUPLICATE, stored behind another). */
    attempt: integer(),
    fence: counter(),
    outcome: text().notNull(),
    reasonCode: text(),
    logId: text().notNull(),
    partition: integer().notNull(),
    offset: bigint({ mode: "bigint" }).notNull(),
    worker: text().notNull(),
    startedAt: instant().notNull(),
    durationMs: integer().notNull(),
    /** The approved replay whose attempt it was. */
    replayRequestId: uuid(),
    at: createdAt(),
  },
  (t) => [
    index("inbox_deliveries_inbox").on(t.inboxId, t.at), // evidence: where inbox_id order by at
    // tiles: where clinic_id and outcome and at between; the tenant beside them lets row-level security be answered by the index alone
    index("inbox_deliveries_outcome").on(t.clinicId, t.outcome, t.at, t.tenantGroupId),
    check("inbox_deliveries_outcome", sql`outcome in ('PROCESSED', 'DUPLICATE', 'RETRYABLE', 'QUARANTINED', 'FENCED')`),
    check("inbox_deliveries_reason", sql`outcome not in ('RETRYABLE', 'QUARANTINED') or reason_code is not null`),
  ],
);

/** The last sequence a consumer has applied for each aggregate: shows gaps and regressions. */
export const inboxSequences = pgTable(
  "inbox_sequences",
  {
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    consumer: text().notNull(),
    aggregateType: text().notNull(),
    aggregateId: uuid().notNull(),
    lastAppliedSeq: counter().notNull(),
  },
  (t) => [primaryKey({ columns: [t.consumer, t.aggregateType, t.aggregateId] })],
);

/** Records that name no readable scope or identity: position and keyed digest only. Workers write it, an alert reads it. */
export const inboxRejections = pgTable(
  "inbox_rejections",
  {
    consumer: text().notNull(),
    logId: text().notNull(),
    topic: text().notNull(),
    partition: smallint().notNull(),
    offset: bigint({ mode: "bigint" }).notNull(),
    reasonCode: text().notNull(),
    contentDigest: text().notNull(),
    at: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.consumer, t.logId, t.topic, t.partition, t.offset] })],
);
