// Approved, bounded re-execution of stored events. A request is written by an operator's preview (with its manifest: the items), changed by approvals
// and by pause, resume, cancel; the replay runner claims it, works off the items and writes the receipt. replay_refusals is append-only.
// A growing count of QUEUED requests means that no runner is up; of AWAITING_SECOND ones, that nobody answers. Items of previews that nobody approved
// are removed by the runner when the preview has ended.
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { clinicId, counter, createdAt, id, instant, tenantGroupId } from "./columns";

export const replayStates = [
  "PREVIEWED",
  "AWAITING_SECOND",
  "QUEUED",
  "RUNNING",
  "PAUSED",
  "COMPLETED",
  "NEEDS_ACTION",
  "INCOMPLETE",
  "CANCELLED",
  "EXPIRED",
] as const;
export const replayOutcomes = ["PROCESSED", "DUPLICATE", "RETRYABLE", "QUARANTINED", "SKIPPED", "NOT_REACHED"] as const;

export const replayRequests = pgTable(
  "replay_requests",
  {
    /** Made by the client before its first send: the second call with it meets the first. */
    requestId: uuid().primaryKey(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    /** MF-… of the manifest, and RJ-… of the job once it is approved. */
    ref: text().notNull(),
    jobRef: text(),
    requestedById: uuid().notNull(),
    requestedByRef: text().notNull(),
    consumer: text().notNull(),
    logId: text().notNull(),
    topic: text().notNull(),
    /** What was asked for, and its keyed digest: the same id with another one is refused. */
    selection: jsonb().notNull(),
    selectionDigest: text().notNull(),
    /** For each partition: first and last offset, the log's end then, records. */
    ranges: jsonb().notNull(),
    records: integer().notNull(),
    /** How many the selection met in all: more than `records` when the wished maximum is smaller. */
    matching: integer().notNull(),
    offsetsSpanned: bigint({ mode: "bigint" }).notNull(),
    /** Later events that wait behind the manifest's rows. */
    waitingBehind: integer().notNull(),
    oldestAt: instant().notNull(),
    manifestDigest: text().notNull(),
    digestKeyId: text().notNull(),
    needsSecond: boolean().notNull(),
    previewedAt: createdAt(),
    previewExpiresAt: instant().notNull(),
    maxSeconds: integer(),
    ratePerSecond: integer(),
    canarySize: integer(),
    stopSharePercent: integer(),
    /** Names the fix. Of the person who approved; never deleted. */
    reason: text(),
    approverId: uuid(),
    approverRef: text(),
    approvedAt: instant(),
    approvedDigest: text(),
    secondApproverId: uuid(),
    secondApproverRef: text(),
    secondApprovedAt: instant(),
    /** The approval holds until then, for one claim by a runner. */
    approvalExpiresAt: instant(),
    approvalUsedAt: instant(),
    state: text().notNull().default("PREVIEWED"),
    /** What people want of a job; the runner looks before each item. */
    wanted: text().notNull().default("RUN"),
    wantedByRef: text(),
    wantedAt: instant(),
    fence: counter().notNull().default(sql`0`),
    leaseOwner: text(),
    leaseUntil: instant(),
    startedAt: instant(),
    /** When the runner last looked at what is wanted. */
    lookedAt: instant(),
    /** Time spent running, pauses and dead runners left out. */
    activeMs: integer().notNull().default(0),
    endedAt: instant(),
    endedReason: text(),
    /** Next offsets of the operating group, for each partition. */
    offsetsBefore: jsonb(),
    offsetsAfter: jsonb(),
    /** Offsets asked for that the log does not hold: partition, first, last. */
    missing: jsonb().notNull().default([]),
    processed: integer(),
    duplicate: integer(),
    retryable: integer(),
    quarantined: integer(),
    skipped: integer(),
    notReached: integer(),
    version: counter().notNull().default(sql`1`),
  },
  (t) => [
    unique("replay_requests_tenant_key").on(t.tenantGroupId, t.clinicId, t.requestId), // what refers to one names its clinic too
    unique("replay_requests_ref_key").on(t.tenantGroupId, t.ref),
    unique("replay_requests_job_ref_key").on(t.tenantGroupId, t.jobRef),
    index("replay_requests_jobs").on(t.clinicId, t.approvedAt).where(sql`job_ref is not null`), // jobs panel: where clinic_id order by approved_at desc
    index("replay_requests_open").on(t.approvedAt).where(sql`state in ('AWAITING_SECOND', 'QUEUED', 'RUNNING', 'PAUSED')`), // runner's claim
    index("replay_requests_previews").on(t.previewExpiresAt).where(sql`state = 'PREVIEWED'`), // runner: previews that have ended
    check(
      "replay_requests_state",
      sql`state in ('PREVIEWED', 'AWAITING_SECOND', 'QUEUED', 'RUNNING', 'PAUSED', 'COMPLETED', 'NEEDS_ACTION', 'INCOMPLETE', 'CANCELLED', 'EXPIRED')`,
    ),
    check("replay_requests_wanted", sql`wanted in ('RUN', 'PAUSE', 'CANCEL')`),
    check(
      "replay_requests_lease",
      sql`(state = 'RUNNING') = (lease_until is not null) and (state = 'RUNNING') = (lease_owner is not null)`,
    ),
    check("replay_requests_records", sql`records between 1 and 10000 and matching >= records and offsets_spanned between 1 and 100000`),
    check(
      "replay_requests_bounds",
      sql`max_seconds between 1 and 300 and rate_per_second between 1 and 50 and canary_size between 1 and 50 and stop_share_percent between 0 and 100`,
    ),
    // an approval is whole: who, when, until when, over which manifest, with which bounds and why
    check(
      "replay_requests_approved",
      sql`(approver_id is null) = (state = 'PREVIEWED' or (state = 'EXPIRED' and job_ref is null)) and num_nulls(approver_id, approver_ref, approved_at, approved_digest, approval_expires_at, job_ref, reason, max_seconds, rate_per_second, canary_size, stop_share_percent) in (0, 11)`,
    ),
    check("replay_requests_digest", sql`approved_digest is null or approved_digest = manifest_digest`),
    check("replay_requests_second", sql`not needs_second or second_approver_id is null or second_approver_id <> approver_id`),
    check(
      "replay_requests_second_first",
      sql`num_nulls(second_approver_id, second_approver_ref, second_approved_at) in (0, 3) and (state not in ('QUEUED', 'RUNNING') or not needs_second or second_approver_id is not null)`,
    ),
    check(
      "replay_requests_ended",
      sql`(ended_at is not null) = (state in ('COMPLETED', 'NEEDS_ACTION', 'INCOMPLETE', 'CANCELLED', 'EXPIRED')) and (state <> 'CANCELLED' or wanted = 'CANCEL')`,
    ),
    // the receipt adds up, or there is none
    check(
      "replay_requests_receipt",
      sql`case when ended_at is not null and job_ref is not null then num_nulls(processed, duplicate, retryable, quarantined, skipped, not_reached) = 0 and processed + duplicate + retryable + quarantined + skipped + not_reached = records else num_nonnulls(processed, duplicate, retryable, quarantined, skipped, not_reached) = 0 end`,
    ),
    check("replay_requests_completed", sql`state <> 'COMPLETED' or (processed + duplicate = records and jsonb_array_length(missing) = 0)`),
  ],
);

/** One row of the inbox in a manifest: the version it had at the preview, and what became of it. */
export const replayItems = pgTable(
  "replay_items",
  {
    requestId: uuid().notNull(),
    /** Order of work: partition, first offset. */
    position: integer().notNull(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    inboxId: uuid().notNull(),
    eventId: uuid().notNull(),
    rowVersion: counter().notNull(),
    /** The row's version after a runner that was told to stop gave it back as it was. */
    returnedVersion: counter(),
    rowState: text().notNull(),
    partition: integer().notNull(),
    offset: bigint({ mode: "bigint" }).notNull(),
    outcome: text(),
    reasonCode: text(),
    settledAt: instant(),
    /** Approved and not settled. One request at a time holds a row of the inbox. */
    isOpen: boolean().notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.requestId, t.position] }),
    foreignKey({
      name: "replay_items_request_fk",
      columns: [t.tenantGroupId, t.clinicId, t.requestId],
      foreignColumns: [replayRequests.tenantGroupId, replayRequests.clinicId, replayRequests.requestId],
    }),
    unique("replay_items_inbox_key").on(t.requestId, t.inboxId),
    uniqueIndex("replay_items_open").on(t.inboxId).where(sql`is_open`), // one open replay for each (consumer, event)
    index("replay_items_unsettled").on(t.requestId, t.position).where(sql`outcome is null`), // runner: where request_id and outcome is null order by position
    index("replay_items_inbox").on(t.inboxId), // evidence: where inbox_id
    check("replay_items_outcome", sql`outcome in ('PROCESSED', 'DUPLICATE', 'RETRYABLE', 'QUARANTINED', 'SKIPPED', 'NOT_REACHED')`),
    check("replay_items_row_state", sql`row_state in ('PROCESSING', 'PROCESSED', 'RETRYABLE', 'QUARANTINED')`),
    check("replay_items_settled", sql`(outcome is null) = (settled_at is null) and not (is_open and outcome is not null)`),
    check("replay_items_reason", sql`outcome not in ('RETRYABLE', 'QUARANTINED', 'SKIPPED', 'NOT_REACHED') or reason_code is not null`),
  ],
);

/** A replay that was not allowed: which check failed, over what. The same refusal is there once. */
export const replayRefusals = pgTable(
  "replay_refusals",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    clinicId: clinicId(),
    /** RF-… */
    ref: text().notNull(),
    requestId: uuid(),
    /** Inbox row, or digest of what was asked for. */
    subject: text().notNull(),
    subjectVersion: text().notNull(),
    failed: text().array().notNull(),
    actorKind: text().notNull(),
    actorRef: text().notNull(),
    at: createdAt(),
  },
  (t) => [
    unique("replay_refusals_ref_key").on(t.tenantGroupId, t.ref),
    unique("replay_refusals_once_key").on(t.tenantGroupId, t.subject, t.subjectVersion, t.failed),
    check("replay_refusals_actor_kind", sql`actor_kind in ('person', 'token', 'worker', 'command-line')`),
  ],
);
