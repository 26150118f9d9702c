import type { Tx } from "@/db/client";
import type { ReplayRequest } from "./read-request";
import type { ReplayReason } from "./states";
import type { ReplayState } from "./types";

/** Ends a request that no runner has begun: every item stays as it is and is free for another request. */
export async function endUnstarted(
  tx: Tx,
  { requestId, jobRef }: Pick<ReplayRequest, "requestId" | "jobRef">,
  state: Extract<ReplayState, "CANCELLED" | "EXPIRED" | "INCOMPLETE">,
  reason: ReplayReason,
): Promise<void> {
  await closeItems(tx, requestId, reason);
  const hasReceipt = jobRef !== null;
  await tx.sql`
    update replay_requests
    set state = ${state}, ended_at = clock_timestamp(), ended_reason = ${reason}, version = version + 1,
        processed = case when ${hasReceipt}::boolean then 0 end,
        duplicate = case when ${hasReceipt}::boolean then 0 end,
        retryable = case when ${hasReceipt}::boolean then 0 end,
        quarantined = case when ${hasReceipt}::boolean then 0 end,
        skipped = case when ${hasReceipt}::boolean then 0 end,
        not_reached = case when ${hasReceipt}::boolean then records end
    where request_id = ${requestId}`;
}

/** Whatever is not settled was not reached, and holds its row no longer. */
export async function closeItems(tx: Tx, requestId: string, reason: ReplayReason): Promise<void> {
  await tx.sql`
    update replay_items
    set outcome = 'NOT_REACHED', reason_code = ${reason}, settled_at = clock_timestamp(), is_open = false
    where request_id = ${requestId} and outcome is null`;
}
