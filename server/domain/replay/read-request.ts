import type { Row } from "postgres";
import type { Tx } from "@/db/client";
import type { OffsetRange, PartitionOffset, PartitionRange, ReplayBounds, ReplayCounts, ReplaySelection, ReplayState } from "./types";

/** A request as it is stored, with its receipt once it has ended. */
export type ReplayRequest = {
  requestId: string;
  tenantGroupId: string;
  clinicId: string;
  ref: string;
  jobRef: string | null;
  requestedByRef: string;
  consumer: string;
  logId: string;
  topic: string;
  selection: ReplaySelection;
  selectionDigest: string;
  ranges: PartitionRange[];
  records: number;
  matching: number;
  offsetsSpanned: string;
  waitingBehind: number;
  oldestAt: string;
  manifestDigest: string;
  digestKeyId: string;
  needsSecond: boolean;
  previewedAt: string;
  previewExpiresAt: string;
  isPreviewOver: boolean;
  bounds: ReplayBounds | null;
  reason: string | null;
  approverId: string | null;
  approverRef: string | null;
  approvedAt: string | null;
  secondApproverId: string | null;
  secondApproverRef: string | null;
  secondApprovedAt: string | null;
  approvalExpiresAt: string | null;
  isApprovalOver: boolean;
  approvalUsedAt: string | null;
  state: ReplayState;
  wanted: "RUN" | "PAUSE" | "CANCEL";
  wantedByRef: string | null;
  fence: string;
  leaseOwner: string | null;
  leaseUntil: string | null;
  startedAt: string | null;
  lookedAt: string | null;
  activeMs: number;
  endedAt: string | null;
  endedReason: string | null;
  offsetsBefore: PartitionOffset[] | null;
  offsetsAfter: PartitionOffset[] | null;
  missing: OffsetRange[];
  /** Stored at the end; null before. */
  receipt: ReplayCounts | null;
};

/** The columns of `r`; instants are judged by the database's clock. */
export const requestColumns = (tx: Tx) => tx.sql`
  r.*, r.preview_expires_at <= clock_timestamp() as is_preview_over,
  r.approval_used_at is null and coalesce(r.approval_expires_at <= clock_timestamp(), false) as is_approval_over`;

/** One request of the reader's scope. `lock`: held until the transaction ends, so that two people who decide at once decide one after the other. */
export async function readRequest(tx: Tx, clinicId: string, requestId: string, lock = false): Promise<ReplayRequest | null> {
  const [row] = await tx.sql`
    select ${requestColumns(tx)}
    from replay_requests r
    where r.request_id = ${requestId} and r.clinic_id = ${clinicId}
    ${lock ? tx.sql`for no key update` : tx.sql``}`;
  return row ? toRequest(row) : null;
}

export function toRequest(row: Row): ReplayRequest {
  return {
    requestId: row.request_id,
    tenantGroupId: row.tenant_group_id,
    clinicId: row.clinic_id,
    ref: row.ref,
    jobRef: row.job_ref,
    requestedByRef: row.requested_by_ref,
    consumer: row.consumer,
    logId: row.log_id,
    topic: row.topic,
    selection: row.selection,
    selectionDigest: row.selection_digest,
    ranges: row.ranges,
    records: row.records,
    matching: row.matching,
    offsetsSpanned: row.offsets_spanned,
    waitingBehind: row.waiting_behind,
    oldestAt: row.oldest_at,
    manifestDigest: row.manifest_digest,
    digestKeyId: row.digest_key_id,
    needsSecond: row.needs_second,
    previewedAt: row.previewed_at,
    previewExpiresAt: row.preview_expires_at,
    isPreviewOver: row.is_preview_over,
    bounds: boundsOf(row),
    reason: row.reason,
    approverId: row.approver_id,
    approverRef: row.approver_ref,
    approvedAt: row.approved_at,
    secondApproverId: row.second_approver_id,
    secondApproverRef: row.second_approver_ref,
    secondApprovedAt: row.second_approved_at,
    approvalExpiresAt: row.approval_expires_at,
    isApprovalOver: row.is_approval_over,
    approvalUsedAt: row.approval_used_at,
    state: row.state,
    wanted: row.wanted,
    wantedByRef: row.wanted_by_ref,
    fence: row.fence,
    leaseOwner: row.lease_owner,
    leaseUntil: row.lease_until,
    startedAt: row.started_at,
    lookedAt: row.looked_at,
    activeMs: row.active_ms,
    endedAt: row.ended_at,
    endedReason: row.ended_reason,
    offsetsBefore: row.offsets_before,
    offsetsAfter: row.offsets_after,
    missing: row.missing,
    receipt: receiptOf(row),
  };
}

const boundsOf = (row: Row): ReplayBounds | null =>
  row.canary_size === null
    ? null
    : {
        canarySize: row.canary_size,
        ratePerSecond: row.rate_per_second,
        maxSeconds: row.max_seconds,
        stopSharePercent: row.stop_share_percent,
      };

const receiptOf = (row: Row): ReplayCounts | null =>
  row.processed === null
    ? null
    : {
        PROCESSED: row.processed,
        DUPLICATE: row.duplicate,
        RETRYABLE: row.retryable,
        QUARANTINED: row.quarantined,
        SKIPPED: row.skipped,
        NOT_REACHED: row.not_reached,
      };
