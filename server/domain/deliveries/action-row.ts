import type { Tx } from "@/db/client";
import { toInstant } from "@/server/clock";
import type { ActionRow, TaskStatus } from "@/server/domain/inbox/next-actions";
import type { InboxState } from "@/server/domain/inbox/states";
import { blockerOf, isOrdered } from "@/server/domain/inbox/unfinished-before";
import type { OutboxState } from "@/server/domain/outbox/states";
import type { RowKind } from "./types";

/** A row and its task as they are stored, instants as PostgreSQL text. */
export type StoredRow = {
  clinicId: string;
  state: string;
  /** inbox.version, outbox.fence */
  version: string;
  taskVersion: string;
  status: TaskStatus | null;
  assigneeId: string | null;
  assigneeRef: string | null;
  leaseOwner: string | null;
  leaseUntil: string | null;
  nextAttemptAt: string | null;
  /** What it waits behind; of a stopped or due row the earlier unfinished one, if there is any. */
  blockedBy: string | null;
  followers: number;
  replayRequestId: string | null;
  commandId: string | null;
  changedAt: string;
  now: string;
};

/** What an act is decided on, or undefined when there is no such row in the reader's scope. */
export async function readActionRow(tx: Tx, kind: RowKind, id: string): Promise<StoredRow | undefined> {
  const [row] = kind === "inbox" ? await readInboxRow(tx, id) : await readOutboxRow(tx, id);
  return row;
}

const taskColumns = (tx: Tx) => tx.sql`
  coalesce(t.version, 0)::text as "taskVersion", t.status, t.assignee_id as "assigneeId", t.assignee_ref as "assigneeRef", clock_timestamp() as now`;

const readInboxRow = (tx: Tx, id: string) => tx.sql<StoredRow[]>`
  select i.clinic_id as "clinicId", i.state, i.version, i.lease_owner as "leaseOwner", i.lease_until as "leaseUntil",
    i.next_attempt_at as "nextAttemptAt", i.command_id as "commandId", i.updated_at as "changedAt",
    coalesce(i.blocked_by, case when i.state in ('QUARANTINED', 'RETRYABLE') and ${isOrdered(tx)} then (${blockerOf(tx)}) end) as "blockedBy",
    (select count(*)::int from inbox follower where follower.blocked_by = i.id) as followers,
    (select r.request_id from replay_items r where r.inbox_id = i.id and r.is_open) as "replayRequestId",
    ${taskColumns(tx)}
  from inbox i
  left join delivery_tasks t on t.row_id = i.id
  where i.id = ${id}`;

const readOutboxRow = (tx: Tx, id: string) => tx.sql<StoredRow[]>`
  select o.clinic_id as "clinicId", o.state, o.fence as version, o.lease_owner as "leaseOwner", o.lease_until as "leaseUntil",
    o.next_attempt_at as "nextAttemptAt", o.command_id as "commandId", coalesce(o.published_at, t.stopped_at, o.occurred_at) as "changedAt",
    null as "blockedBy", 0 as followers, null as "replayRequestId", ${taskColumns(tx)}
  from outbox o
  left join delivery_tasks t on t.row_id = o.event_id
  where o.event_id = ${id}`;

/** The same facts as the pure rule takes them. */
export function toActionRow(kind: RowKind, row: StoredRow): ActionRow {
  const { clinicId, leaseOwner, leaseUntil, status, assigneeId } = row;
  const shared = {
    clinicId,
    lease: leaseOwner && leaseUntil ? { owner: leaseOwner, until: toInstant(leaseUntil) } : null,
    task: status ? { status, assigneeId } : null,
  };
  if (kind === "outbox") return { ...shared, kind, state: row.state as OutboxState };
  return {
    ...shared,
    kind,
    state: row.state as InboxState,
    nextAttemptAt: row.nextAttemptAt ? toInstant(row.nextAttemptAt) : null,
    blockedBy: row.blockedBy,
    followers: row.followers,
    replayRequestId: row.replayRequestId,
  };
}
