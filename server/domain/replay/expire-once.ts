import { withTx } from "@/db/client";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import type { InboxRuntime } from "@/server/domain/inbox/types";
import { workerOf } from "./claim-job";
import { endUnstarted } from "./end-request";
import { requestColumns, toRequest } from "./read-request";

const batchMax = 20;

/**
 * Ends what nobody followed up: previews whose time is over, and approvals that no second person and no runner used, so that their rows are free again.
 * Removes the items of previews that were over a day ago. Bounded; answers how many requests it ended.
 */
export async function expireOnce({ db, worker }: Pick<InboxRuntime, "db" | "worker">): Promise<number> {
  return withTx(db, { worker }, async (tx) => {
    const previews = await tx.sql`
      with over as materialized (
        select request_id
        from replay_requests
        where state = 'PREVIEWED' and preview_expires_at <= clock_timestamp()
        order by preview_expires_at
        limit ${batchMax}
        for no key update skip locked
      )
      update replay_requests r
      set state = 'EXPIRED', ended_at = clock_timestamp(), version = r.version + 1
      from over
      where r.request_id = over.request_id
      returning 1`;
    const approvals = await tx.sql`
      select ${requestColumns(tx)}
      from replay_requests r
      where r.state in ('AWAITING_SECOND', 'QUEUED', 'PAUSED') and r.approval_used_at is null and r.approval_expires_at <= clock_timestamp()
      order by r.approved_at
      limit ${batchMax}
      for no key update of r skip locked`;
    for (const row of approvals) {
      const request = toRequest(row);
      await endUnstarted(tx, request, "EXPIRED", "APPROVAL_EXPIRED");
      await appendAuditEntry(tx, workerOf(worker, request), {
        act: "replay.ended",
        reasonCode: "APPROVAL_EXPIRED",
        clinicId: request.clinicId,
        subjectType: "replay",
        subjectId: request.requestId,
        details: { job: request.jobRef, state: "EXPIRED" },
      });
    }
    await tx.sql`
      delete from replay_items
      where request_id in (
        select r.request_id
        from replay_requests r
        where r.state = 'EXPIRED' and r.job_ref is null and r.ended_at < clock_timestamp() - interval '1 day'
          and exists (select 1 from replay_items i where i.request_id = r.request_id)
        limit ${batchMax})`;
    return previews.length + approvals.length;
  });
}
