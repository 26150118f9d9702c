import { type Tx, withTx } from "@/db/client";
import { type DueRow, dueColumns, toDueRow } from "@/server/domain/inbox/claim-row";
import type { InboxRuntime, LogicalConsumer } from "@/server/domain/inbox/types";
import { blockerOf, isStoppedOrDue } from "@/server/domain/inbox/unfinished-before";
import { testPoint } from "@/server/test-points";
import { approversHoldRole } from "./as-replay-operator";
import type { ClaimedJob } from "./claim-job";
import { chunkSize, type ItemFacts, noReplayCounts, stepOf } from "./states";
import type { ReplayCounts, ReplayOutcome } from "./types";

export type PlannedItem = { position: number; step: "RUN" | "TAKE_OVER"; row: DueRow };
export type Plan =
  | { end: "FENCED" }
  | {
      end: "PLANNED";
      wanted: "RUN" | "PAUSE" | "CANCEL";
      holdsRole: boolean;
      counts: ReplayCounts;
      items: PlannedItem[];
      /** Items whose row a worker still holds under this request. */
      waiting: number;
      settled: number;
    };

const looked = 200;

/**
 * One look at the job: renews its lease by fence, reads what is wanted and whether the approvals still stand, writes down every item whose end the records
 * show, and answers the next ones to run. Whoever holds the job sees the same, so a crash loses nothing and repeats nothing.
 */
export function planChunk(
  runtime: Pick<InboxRuntime, "db" | "worker">,
  consumer: LogicalConsumer,
  job: ClaimedJob,
  options: { leaseMs: number; activeMs: number; isRateLifted: boolean },
): Promise<Plan> {
  const { requestId, fence, tenantGroupId } = job;
  return withTx(runtime.db, { worker: runtime.worker, tenantGroupId }, async (tx): Promise<Plan> => {
    const [held] = await tx.sql`
      update replay_requests r
      set lease_until = clock_timestamp() + ${options.leaseMs} * interval '1 millisecond', looked_at = clock_timestamp(),
          active_ms = greatest(r.active_ms, ${Math.round(options.activeMs)}::int4)
      where r.request_id = ${requestId} and r.fence = ${fence} and r.state = 'RUNNING'
      returning r.wanted, ${approversHoldRole(tx)} as holds_role`;
    if (!held) return { end: "FENCED" };
    const unsettled = await readUnsettled(tx, consumer, requestId);
    const steps = unsettled.map((item) => ({ item, step: stepOf(item.facts) }));
    const ends = steps.flatMap(({ item, step }) => (step.step === "SETTLE" ? [{ position: item.row.position, ...step }] : []));
    await settleItems(tx, requestId, ends);
    await testPoint("replay.afterSettle", ends);
    const ready = steps.flatMap(({ item, step }): PlannedItem[] =>
      step.step === "RUN" || step.step === "TAKE_OVER" ? [{ position: item.row.position, step: step.step, row: item.row }] : [],
    );
    const counts = await countItems(tx, requestId);
    return {
      end: "PLANNED",
      wanted: held.wanted,
      holdsRole: held.holds_role,
      counts,
      items: ready.slice(0, chunkSize(counts, job.bounds, options.isRateLifted)),
      waiting: steps.filter(({ step }) => step.step === "WAIT").length,
      settled: ends.length,
    };
  });
}

type Unsettled = { row: DueRow & { position: number }; facts: ItemFacts };

async function readUnsettled(tx: Tx, consumer: LogicalConsumer, requestId: string): Promise<Unsettled[]> {
  const rows = await tx.sql`
    select it.position, it.inbox_id, coalesce(it.returned_version, it.row_version) as row_version,
      it.returned_version is not null and it.returned_version = i.version as is_given_back, i.id is not null as is_there, i.state, i.reason_code, ${dueColumns(tx)},
      ${isStoppedOrDue(tx)} as is_due,
      i.state = 'PROCESSING' and i.lease_until <= clock_timestamp() as is_lease_over,
      i.replay_request_id = it.request_id as is_ours,
      own.outcome as own_outcome, own.reason_code as own_reason,
      case when blocker.id is null then 'NONE'
           when exists (select 1 from replay_items o where o.request_id = it.request_id and o.inbox_id = blocker.id and o.outcome is null) then 'OPEN_ITEM'
           else 'OTHER_ROW' end as blocker
    from replay_items it
    left join inbox i on i.id = it.inbox_id
    left join lateral (
      select d.outcome, d.reason_code
      from inbox_deliveries d
      where d.inbox_id = it.inbox_id and d.replay_request_id = it.request_id and d.outcome <> 'FENCED'
      order by d.fence desc nulls last, d.at desc
      limit 1) own on true
    left join lateral (
      ${blockerOf(tx)}) blocker on ${consumer.order === "ordered"}::boolean
    where it.request_id = ${requestId} and it.outcome is null
    order by it.position
    limit ${looked}`;
  return rows.map((row) => ({
    row: { ...toDueRow(row), inboxId: row.inbox_id, position: row.position },
    facts: {
      row: row.is_there
        ? {
            state: row.state,
            isUnchanged: row.version === row.row_version,
            isDue: row.is_due,
            isLeaseOver: row.is_lease_over,
            reasonCode: row.reason_code,
          }
        : null,
      isClaimedByUs: row.is_ours === true,
      isGivenBack: row.is_given_back === true,
      ownEnd: row.own_outcome ? { outcome: row.own_outcome, reasonCode: row.own_reason } : null,
      blocker: row.blocker,
    },
  }));
}

type ItemEnd = { position: number; outcome: ReplayOutcome; reasonCode: string | null };

/** An item is settled once; then its row is free for another request. */
export async function settleItems(tx: Tx, requestId: string, ends: readonly ItemEnd[]): Promise<void> {
  if (ends.length === 0) return;
  await tx.sql`
    update replay_items it
    set outcome = e.outcome, reason_code = e.reason, settled_at = clock_timestamp(), is_open = false
    from unnest(
      ${ends.map(({ position }) => position)}::int4[], ${ends.map(({ outcome }) => outcome)}::text[], ${ends.map(({ reasonCode }) => reasonCode)}::text[]
    ) as e (position, outcome, reason)
    where it.request_id = ${requestId} and it.position = e.position and it.outcome is null`;
}

/** A row that a runner claimed, did not run and gave back: it stands as it stood at the preview, under another version. */
export async function noteGivenBack(tx: Tx, requestId: string, inboxId: string, version: string): Promise<void> {
  await tx.sql`
    update replay_items set returned_version = ${version} where request_id = ${requestId} and inbox_id = ${inboxId} and outcome is null`;
}

/** Counted from the items, never carried along. */
export async function countItems(tx: Tx, requestId: string): Promise<ReplayCounts> {
  const rows = await tx.sql`
    select outcome, count(*)::int4 as count from replay_items where request_id = ${requestId} and outcome is not null group by outcome`;
  const counts = noReplayCounts();
  for (const row of rows) counts[row.outcome as ReplayOutcome] = row.count;
  return counts;
}
