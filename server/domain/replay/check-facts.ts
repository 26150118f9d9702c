import { type Db, type Tx, type TxActor, withRead } from "@/db/client";
import { isDatabaseOutage } from "@/db/tx-error";
import { isOrdered, isStoppedOrDue, unfinishedBefore } from "@/server/domain/inbox/unfinished-before";
import { type Binding, type CheckFacts, type Fact, known, type RecordPlace, type RowFact, recordPlaces, unknown } from "./checks";
import { rangeText } from "./manifest";
import type { ReplayRequest } from "./read-request";

/** The rows of a manifest as they are now, beside what they were at the preview. */
export async function readManifestRows(tx: Tx, requestId: string): Promise<RowFact[]> {
  const rows = await tx.sql`
    select coalesce(g.ref || ' / ' || c.ref, '') as scope, coalesce(i.consumer, '') as consumer, coalesce(i.state, it.row_state) as state,
      coalesce(i.log_id, '') as log_id, i.version is distinct from it.row_version as is_changed,
      coalesce(${isStoppedOrDue(tx)}, false) as is_stopped_or_due,
      coalesce(${isOrdered(tx)}, false) and exists (
        select 1 ${unfinishedBefore(tx)}
          and not exists (
            select 1 from replay_items o where o.request_id = it.request_id and o.inbox_id = earlier.id and o.position < it.position)) as is_behind
    from replay_items it
    left join inbox i on i.id = it.inbox_id
    left join clinics c on c.id = i.clinic_id
    left join tenant_groups g on g.id = i.tenant_group_id
    where it.request_id = ${requestId}
    order by it.position`;
  return rows.map((row) => ({
    scope: row.scope,
    consumer: row.consumer,
    state: row.state,
    isStoppedOrDue: row.is_stopped_or_due,
    isBehind: row.is_behind,
    isChanged: row.is_changed,
    logId: row.log_id,
  }));
}

/** What the audit wrote down when the request id was bound: a request that its audit entry does not know is not approved. */
export async function readBinding(tx: Tx, requestId: string): Promise<Binding | null> {
  const [entry] = await tx.sql`
    select details
    from audit_entries
    where subject_id = ${requestId} and act = 'replay.previewed' and result = 'DONE'
    order by at
    limit 1`;
  if (!entry) return null;
  const { selection, digest, range } = entry.details as Record<string, string>;
  return { selectionDigest: selection ?? "", digest: digest ?? "", range: range ?? "" };
}

/** Which of audit, items and receipts can be written here: none on a standby, and none without its grant. */
export async function probeWritable(tx: Tx): Promise<RecordPlace[]> {
  const [row] = await tx.sql<Record<RecordPlace, boolean>[]>`
    select not pg_is_in_recovery() and has_table_privilege('audit_entries', 'insert') as "AUDIT",
      not pg_is_in_recovery() and has_column_privilege('replay_items', 'outcome', 'update') as "ITEMS",
      not pg_is_in_recovery() and has_column_privilege('replay_requests', 'state', 'update') as "RECEIPT"`;
  return recordPlaces.filter((place) => row?.[place] === true);
}

/** A read of its own with an end of its own: what does not answer in two seconds is unknown, and unknown is no permission. */
export async function askOrUnknown<T>(db: Db, actor: TxActor, ask: (tx: Tx) => Promise<T>): Promise<Fact<T>> {
  try {
    return known(await withRead(db, actor, ask, { deadlineMs: 2_000 }));
  } catch (error) {
    if (isDatabaseOutage(error)) return unknown;
    throw error;
  }
}

/** What is asked for, as the checks compare it. */
export const requestFacts = (scope: string, request: ReplayRequest): CheckFacts["request"] => ({
  scope,
  consumer: request.consumer,
  selectionDigest: request.selectionDigest,
  digest: request.manifestDigest,
  range: rangeText(request.ranges),
  logId: request.logId,
  isOver: request.isPreviewOver,
});
