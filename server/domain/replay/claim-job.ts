import { type Tx, withTx } from "@/db/client";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import type { InboxRuntime, LogicalConsumer } from "@/server/domain/inbox/types";
import { testPoint } from "@/server/test-points";
import { approversHoldRole } from "./as-replay-operator";
import { endUnstarted } from "./end-request";
import { manifestDigestOf } from "./manifest";
import { type ReplayRequest, requestColumns, toRequest } from "./read-request";
import type { ReplayReason } from "./states";
import type { ReplayBounds } from "./types";

/** A job that this runner holds by fence. */
export type ClaimedJob = ReplayRequest & { bounds: ReplayBounds; fence: string };

/**
 * Claims one job that waits, or that a dead runner left: fence + 1, lease, and the use of its approval, in a transaction of its own with its audit entry.
 * Whether the approval still holds (time, role of everybody who gave it, digest over the stored items) is decided here, not when it was given; one that
 * does not hold ends its request and nothing of it runs. Null: nothing to do.
 */
export async function claimJob(
  runtime: Pick<InboxRuntime, "db" | "worker" | "ring" | "logId">,
  consumers: readonly LogicalConsumer[],
  leaseMs: number,
): Promise<ClaimedJob | "ENDED" | null> {
  const { db, worker } = runtime;
  const ids = consumers.map(({ id }) => id);
  return withTx(db, { worker }, async (tx) => {
    const [row] = await tx.sql`
      select ${requestColumns(tx)}, ${approversHoldRole(tx)} as holds_role
      from replay_requests r
      where (r.state = 'QUEUED' or (r.state = 'RUNNING' and r.lease_until <= clock_timestamp()))
        and r.consumer = any (${ids}::text[])
      order by r.approved_at
      limit 1
      for no key update of r skip locked`;
    if (!row) return null;
    const request = toRequest(row);
    const obstacle = request.startedAt === null ? await obstacleOf(tx, runtime, request, row.holds_role) : null;
    await testPoint("replay.beforeClaim", request);
    if (obstacle) return endUnapproved(tx, worker, request, obstacle);
    const [claimed] = await tx.sql`
      update replay_requests r
      set state = 'RUNNING', fence = r.fence + 1, lease_owner = ${worker}, lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
          started_at = coalesce(r.started_at, clock_timestamp()), approval_used_at = coalesce(r.approval_used_at, clock_timestamp()),
          looked_at = clock_timestamp(), version = r.version + 1
      where r.request_id = ${request.requestId}
      returning ${requestColumns(tx)}`;
    const job = toRequest(claimed as never) as ClaimedJob;
    if (request.startedAt === null || request.state === "RUNNING") await auditStart(tx, worker, request, job);
    return job;
  });
}

type Approved = Pick<InboxRuntime, "ring" | "logId">;

async function obstacleOf(tx: Tx, { ring, logId }: Approved, request: ReplayRequest, holdsRole: boolean): Promise<ReplayReason | null> {
  if (request.isApprovalOver) return "APPROVAL_EXPIRED";
  if (!holdsRole) return "ROLE_REMOVED";
  if (request.logId !== logId) return "LOG_CHANGED";
  const items = await tx.sql<{ inboxId: string; version: string; partition: number; offset: string }[]>`
    select inbox_id as "inboxId", row_version as version, partition, "offset" from replay_items where request_id = ${request.requestId} order by position`;
  const { digest } = manifestDigestOf(ring, { ...request, items }, request.digestKeyId);
  return digest === request.manifestDigest ? null : "MANIFEST_CHANGED";
}

async function endUnapproved(tx: Tx, worker: string, request: ReplayRequest, reason: ReplayReason): Promise<"ENDED"> {
  await endUnstarted(tx, request, reason === "APPROVAL_EXPIRED" ? "EXPIRED" : "INCOMPLETE", reason);
  await appendAuditEntry(tx, workerOf(worker, request), {
    act: "replay.refused",
    result: "REFUSED",
    reasonCode: reason,
    clinicId: request.clinicId,
    subjectType: "replay",
    subjectId: request.requestId,
    details: { job: request.jobRef },
  });
  return "ENDED";
}

const auditStart = (tx: Tx, worker: string, before: ReplayRequest, job: ClaimedJob) =>
  appendAuditEntry(tx, workerOf(worker, job), {
    act: before.startedAt === null ? "replay.started" : "replay.taken-over",
    clinicId: job.clinicId,
    subjectType: "replay",
    subjectId: job.requestId,
    details: { job: job.jobRef, digest: job.manifestDigest, records: job.records, fence: job.fence },
  });

export const workerOf = (worker: string, { tenantGroupId }: { tenantGroupId: string }) =>
  ({ kind: "worker", worker, tenantGroupId }) as const;
