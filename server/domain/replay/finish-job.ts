import { type Tx, withTx } from "@/db/client";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import type { InboxRuntime } from "@/server/domain/inbox/types";
import { testPoint } from "@/server/test-points";
import { type ClaimedJob, workerOf } from "./claim-job";
import { closeItems } from "./end-request";
import { toRanges } from "./missing-offsets";
import { countItems } from "./plan-chunk";
import { endOf, type StopReason } from "./states";
import type { OffsetRange, PartitionOffset, ReplayState } from "./types";

/**
 * Writes the receipt: what was not reached, the counts from the items, the end that follows from them, missing offsets, and where the operating group
 * stands. One transaction with its audit entry, by fence. Answers FENCED when the job is another runner's by now.
 */
export function finishJob(
  runtime: Pick<InboxRuntime, "db" | "worker">,
  job: ClaimedJob,
  found: { stop: StopReason | null; offsetsAfter: PartitionOffset[]; missingAsked: OffsetRange[]; activeMs: number },
): Promise<ReplayState | "FENCED"> {
  const { requestId, tenantGroupId } = job;
  return withTx(runtime.db, { worker: runtime.worker, tenantGroupId }, async (tx) => {
    const held = await tx.sql`
      select 1 from replay_requests where request_id = ${requestId} and fence = ${job.fence} and state = 'RUNNING' for no key update`;
    if (held.length === 0) return "FENCED";
    await closeItems(tx, requestId, found.stop ?? "CHANGED");
    const counts = await countItems(tx, requestId);
    const missing = [...found.missingAsked, ...(await missingItems(tx, requestId))];
    const state = endOf(counts, missing.length > 0, found.stop === "CANCELLED");
    await tx.sql`
      update replay_requests
      set state = ${state}, ended_at = clock_timestamp(), ended_reason = ${found.stop}, lease_owner = null, lease_until = null,
          offsets_after = ${JSON.stringify(found.offsetsAfter)}::jsonb, missing = ${JSON.stringify(missing)}::jsonb,
          active_ms = greatest(active_ms, ${Math.round(found.activeMs)}::int4), processed = ${counts.PROCESSED}, duplicate = ${counts.DUPLICATE},
          retryable = ${counts.RETRYABLE}, quarantined = ${counts.QUARANTINED}, skipped = ${counts.SKIPPED}, not_reached = ${counts.NOT_REACHED},
          version = version + 1
      where request_id = ${requestId}`;
    await testPoint("replay.beforeReceipt", requestId);
    await appendAuditEntry(tx, workerOf(runtime.worker, job), {
      act: "replay.ended",
      reasonCode: found.stop ?? undefined,
      clinicId: job.clinicId,
      subjectType: "replay",
      subjectId: requestId,
      details: { job: job.jobRef, state, ...lowerCased(counts) },
    });
    return state;
  });
}

const lowerCased = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).map(([outcome, count]) => [outcome.toLowerCase(), count]));

/** Records of the manifest that the log did not give back. */
async function missingItems(tx: Tx, requestId: string): Promise<OffsetRange[]> {
  const rows = await tx.sql<PartitionOffset[]>`
    select partition, "offset" from replay_items where request_id = ${requestId} and outcome = 'SKIPPED' and reason_code = 'OFFSET_MISSING'`;
  return toRanges(rows);
}

/** A pause that a person wished, or a runner that stops: the job waits, with nothing held. */
export function putDown(
  runtime: Pick<InboxRuntime, "db" | "worker">,
  job: ClaimedJob,
  state: "PAUSED" | "QUEUED",
  activeMs: number,
): Promise<boolean> {
  return withTx(runtime.db, { worker: runtime.worker, tenantGroupId: job.tenantGroupId }, async (tx) => {
    const rows = await tx.sql`
      update replay_requests
      set state = ${state}, lease_owner = null, lease_until = null, active_ms = greatest(active_ms, ${Math.round(activeMs)}::int4), version = version + 1
      where request_id = ${job.requestId} and fence = ${job.fence} and state = 'RUNNING'
      returning 1`;
    return rows.length > 0;
  });
}
