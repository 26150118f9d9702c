import type { Row } from "postgres";
import { type Tx, withTx } from "@/db/client";
import { recordDeliveries } from "./record-deliveries";
import { type InboxRuntime, type LogicalConsumer, leaseMsDefault } from "./types";
import { blockerOf } from "./unfinished-before";

/** A row that exists, as the scheduler found it. */
export type DueRow = {
  inboxId: string;
  consumer: string;
  version: string;
  tenantGroupId: string;
  clinicId: string;
  eventId: string;
  aggregateId: string;
  aggregateSeq: string;
  contentDigest: string;
  digestKeyId: string;
  logId: string;
  topic: string;
  partition: number;
  offset: string;
};
/** Columns of the row `i` of the inbox that a DueRow is made of, and the row made of them. */
export const dueColumns = (tx: Tx) => tx.sql`
  i.id, i.consumer, i.version, i.tenant_group_id, i.clinic_id, i.event_id, i.aggregate_id, i.aggregate_seq, i.content_digest, i.digest_key_id,
  i.log_id, i.topic, i.last_partition, i.last_offset`;
export const toDueRow = (row: Row): DueRow => ({
  inboxId: row.id,
  consumer: row.consumer,
  version: row.version,
  tenantGroupId: row.tenant_group_id,
  clinicId: row.clinic_id,
  eventId: row.event_id,
  aggregateId: row.aggregate_id,
  aggregateSeq: row.aggregate_seq,
  contentDigest: row.content_digest,
  digestKeyId: row.digest_key_id,
  logId: row.log_id,
  topic: row.topic,
  partition: row.last_partition,
  offset: row.last_offset,
});

/** What a claim takes the row out of: a claim that is given back for a replay leaves it so again. */
export type RowBefore = {
  state: "RETRYABLE" | "QUARANTINED" | "PROCESSING";
  /** Null: it was none of these, or a dead worker's. */
  nextAttemptAt: string | null;
  quarantinedAt: string | null;
  attemptsMax: number;
  /** The claim before this one was a replay's. */
  isOfReplay: boolean;
};
export type RowClaim =
  /** `before` is null when the answer to the claim's COMMIT was lost. */
  | { end: "CLAIMED"; fence: string; attempt: number; attemptsMax: number; before: RowBefore | null }
  | { end: "BLOCKED" }
  | { end: "QUARANTINED" }
  | { end: "NOT_DUE" };

/**
 * Claims one row that waits or whose worker died: attempt + 1, fence + 1, lease, in a transaction of its own, so that the attempt counts even when
 * the process dies of it. One at a time, so that it counts against no other. An unfinished earlier event of the aggregate takes precedence (no
 * attempt used); a dead worker's last attempt ends in quarantine. `version` as it was read, or nothing happens.
 *
 * A replay claims a QUARANTINED row as well, gives it one attempt more, and leaves one that must wait behind another as it is.
 */
export function claimRow(runtime: InboxRuntime, consumer: LogicalConsumer, due: DueRow): Promise<RowClaim> {
  const { leaseMs = leaseMsDefault, replay } = runtime;
  const isReplay = replay !== undefined;
  const work = async (tx: Tx): Promise<RowClaim> => {
    if (replay && !(await replay.mayClaim(tx))) return { end: "NOT_DUE" };
    const [row] = await tx.sql`
      with candidate as materialized (
        select i.id, i.state, i.attempts, i.attempts_max, i.fence, i.lease_owner, i.replay_request_id, i.next_attempt_at,
          i.quarantined_at,
          case when ${consumer.order === "ordered"}::boolean then (${blockerOf(tx)}) end as blocker
        from inbox i
        where i.id = ${due.inboxId}
          and i.version = ${due.version}
          and (${isReplay}::boolean and i.state = 'QUARANTINED'
               or i.state = 'RETRYABLE' and i.blocked_by is null and i.next_attempt_at <= clock_timestamp()
               or i.state = 'PROCESSING' and i.lease_until <= clock_timestamp())
        for update of i skip locked
      ),
      judged as (
        select *,
          case when blocker is not null then 'RETRYABLE'
               when attempts >= attempts_max and not (${isReplay}::boolean and state <> 'PROCESSING') then 'QUARANTINED'
               else 'PROCESSING' end as next
        from candidate
        where not (${isReplay}::boolean and blocker is not null)
      )
      update inbox i
      set state = j.next,
          attempts = j.attempts + case when j.next = 'PROCESSING' then 1 else 0 end,
          attempts_max = greatest(j.attempts_max, j.attempts + case when j.next = 'PROCESSING' then 1 else 0 end),
          replay_request_id = ${replay?.requestId ?? null}::uuid,
          fence = j.fence + 1,
          lease_owner = case when j.next = 'PROCESSING' then ${runtime.worker} end,
          lease_until = case when j.next = 'PROCESSING' then clock_timestamp() + ${leaseMs} * interval '1 millisecond' end,
          next_attempt_at = null,
          blocked_by = j.blocker,
          reason_code = case j.next when 'RETRYABLE' then 'BLOCKED_BY' when 'QUARANTINED' then 'ATTEMPTS_EXHAUSTED' else i.reason_code end,
          quarantined_at = case when j.next = 'QUARANTINED' then clock_timestamp() end,
          version = i.version + 1,
          updated_at = clock_timestamp()
      from judged j
      where i.id = j.id
      returning i.state, i.fence, i.attempts, i.attempts_max,
        j.state as was, j.fence as fence_before, j.attempts as attempts_before, j.lease_owner as owner_before,
        j.replay_request_id as replay_before, j.next_attempt_at as next_before, j.quarantined_at as quarantined_before,
        j.attempts_max as max_before`;
    if (!row) return (await ownEarlierClaim(tx, runtime, due)) ?? { end: "NOT_DUE" };
    if (row.was === "PROCESSING") {
      const lost = {
        inboxId: due.inboxId,
        attempt: row.attempts_before,
        fence: row.fence_before,
        outcome: row.state === "QUARANTINED" ? ("QUARANTINED" as const) : ("RETRYABLE" as const),
        reason: "LEASE_EXPIRED",
        partition: due.partition,
        offset: due.offset,
        durationMs: 0,
        worker: row.owner_before,
        replayRequestId: row.replay_before,
      };
      await recordDeliveries(tx, runtime.worker, runtime.logId, [lost]); // a worker that died cannot say how its attempt ended
    }
    if (row.was === "PROCESSING" || row.state !== "PROCESSING") await tx.sql`set local synchronous_commit = on`; // what happened is on record
    if (row.state === "RETRYABLE") return { end: "BLOCKED" };
    if (row.state === "QUARANTINED") return { end: "QUARANTINED" };
    return { end: "CLAIMED", fence: row.fence, attempt: row.attempts, attemptsMax: row.attempts_max, before: beforeOf(row) };
  };
  // A replay has no need of the disk before its effect transaction, which waits for both: a crash of the server that undoes the claim leaves the row as it
  // was, whoever held it in memory is fenced, and the job's next look takes the row again. Should another have it by then under the same fence, still only
  // the first of the two finds it PROCESSING.
  return withTx(runtime.db, { worker: runtime.worker }, work, { byIndex: true, lazyCommit: isReplay });
}

const beforeOf = (row: Row): RowBefore => ({
  state: row.was,
  nextAttemptAt: row.next_before,
  quarantinedAt: row.quarantined_before,
  attemptsMax: row.max_before,
  isOfReplay: row.replay_before !== null,
});

/** The first COMMIT of this very claim went through and its answer was lost. */
async function ownEarlierClaim(tx: Tx, runtime: InboxRuntime, due: DueRow): Promise<RowClaim | undefined> {
  const [row] = await tx.sql`
    select fence, attempts, attempts_max
    from inbox
    where id = ${due.inboxId} and version = ${due.version}::int8 + 1 and state = 'PROCESSING' and lease_owner = ${runtime.worker}`;
  return row && { end: "CLAIMED", fence: row.fence, attempt: row.attempts, attemptsMax: row.attempts_max, before: null };
}
