// Who did what, in which role, with which result; written in the transaction of the act (a refusal: in one of its own). Append-only.
// Entries are written without a place in the chain; the sealer gives each its place afterwards, in audit_seals. An entry that stays without one for
// minutes means that no sealer runs.
import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, primaryKey, text, unique, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { counter, createdAt, id, instant, tenantGroupId } from "./columns";
import { tenantGroups } from "./scope";

export const auditEntries = pgTable(
  "audit_entries",
  {
    id: id(),
    tenantGroupId: tenantGroupId(),
    /** null: an act on the tenant group, such as a sign-in */
    clinicId: uuid(),
    actorKind: text().notNull(),
    actorId: text().notNull(),
    actorRef: text().notNull(),
    /** The role that allowed the act, as held at that time; of a refusal, the strongest one that was held. */
    actorRole: text(),
    act: text().notNull(),
    result: text().notNull(),
    reasonCode: text(),
    /** What a member of STAFF typed as the reason of the act; never about a person who has no short reference. */
    reason: text(),
    subjectType: text(),
    subjectId: uuid(),
    commandId: uuid(),
    /** Opaque references and counts only. */
    details: jsonb().notNull().default({}),
    /** An act that is written once for this key and actor: the view of one version of a row. */
    onceKey: text(),
    at: createdAt(),
    /** Its place in the chain, once the sealer has been there. The only column that is ever updated, and the only one that no digest covers. */
    sealedSeq: counter(),
  },
  (t) => [
    index("audit_entries_clinic").on(t.tenantGroupId, t.clinicId, t.at, t.id), // audit page: where tenant and clinic order by at desc, id desc
    index("audit_entries_actor").on(t.tenantGroupId, t.actorRef, t.at, t.id), // audit page of one actor
    index("audit_entries_act").on(t.tenantGroupId, t.act, t.at, t.id), // audit page of one act
    index("audit_entries_not_done").on(t.tenantGroupId, t.result, t.at, t.id).where(sql`result <> 'DONE'`), // audit page: what was refused
    index("audit_entries_unsealed").on(t.tenantGroupId, t.at, t.id).where(sql`sealed_seq is null`), // sealer: where sealed_seq is null
    index("audit_entries_command").on(t.commandId), // story: where command_id
    index("audit_entries_subject").on(t.subjectId, t.at), // touched by: where subject_id
    uniqueIndex("audit_entries_once").on(t.tenantGroupId, t.actorId, t.onceKey).where(sql`once_key is not null`), // a view that is written once
    check("audit_entries_result", sql`result in ('DONE', 'REFUSED', 'NO_CHANGE', 'STALE_REJECTED')`),
    check("audit_entries_actor", sql`actor_kind in ('person', 'token', 'worker', 'command-line')`),
    check("audit_entries_reason", sql`length(reason) between 1 and 500`),
  ],
);

/**
 * The chain over the entries of a tenant group: each seal covers its entry's digest and the seal before it. Two sealers that extend the same head
 * meet in a unique key. Written by the audit sealer only; grows with the entries.
 */
export const auditSeals = pgTable(
  "audit_seals",
  {
    tenantGroupId: tenantGroupId().references(() => tenantGroups.id),
    seq: counter().notNull(),
    entryId: uuid().notNull(),
    entryDigest: text().notNull(),
    prevHash: text().notNull(),
    hash: text().notNull(),
    /** Framing and key of both digests. */
    version: integer().notNull(),
    keyId: text().notNull(),
    sealedAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantGroupId, t.seq] }),
    unique("audit_seals_prev_key").on(t.tenantGroupId, t.prevHash),
    unique("audit_seals_entry_key").on(t.tenantGroupId, t.entryId),
    index("audit_seals_sealed").on(t.tenantGroupId, t.sealedAt), // chain of the audit page: seals of each hour of the last day
    check("audit_seals_seq", sql`seq > 0`),
  ],
);

/** Checks of a chain from its first entry: asked for on the audit page or due by time, answered by the audit sealer. */
export const auditVerifications = pgTable(
  "audit_verifications",
  {
    id: id(),
    tenantGroupId: tenantGroupId().references(() => tenantGroups.id),
    requestedBy: text().notNull(),
    requestedAt: createdAt(),
    state: text().notNull().default("REQUESTED"),
    finishedAt: instant(),
    /** Last seal that was read, and how many signed checkpoints it was compared with. */
    throughSeq: counter(),
    checkpoints: integer(),
    /** null with state DONE: no gap and no rewrite */
    fault: text(),
    faultSeq: counter(),
  },
  (t) => [
    index("audit_verifications_newest").on(t.tenantGroupId, t.requestedAt), // audit page: the last one
    uniqueIndex("audit_verifications_open").on(t.tenantGroupId).where(sql`state = 'REQUESTED'`), // one at a time for a tenant group
    check("audit_verifications_state", sql`state in ('REQUESTED', 'DONE')`),
    check(
      "audit_verifications_done",
      sql`(state = 'DONE') = (finished_at is not null and through_seq is not null and checkpoints is not null)`,
    ),
    check(
      "audit_verifications_fault",
      sql`fault in ('ENTRY_MISSING', 'ENTRY_CHANGED', 'SEAL_MISSING', 'SEAL_CHANGED', 'LINK_BROKEN', 'TAIL_CUT', 'CHECKPOINT_DIFFERS', 'CHECKPOINT_FORGED', 'KEY_MISSING')`,
    ),
    check("audit_verifications_fault_seq", sql`(fault is null) = (fault_seq is null)`),
  ],
);
