import type { Db } from "@/db/client";
import { withTx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import type { PersonActor } from "@/server/domain/scope/actor";
import { listReplayItems, type ReplayItemView, type ReplayJob, type ReplayScope, readReplayJob } from "./read-jobs";
import { replayLimits } from "./types";

export type ExportedReceipt = { exportedAt: string; job: ReplayJob; items: ReplayItemView[] };

/** The whole receipt with every identity that it covers, for keeping outside; no payload. That it was taken is an audit entry of the same transaction. */
export function exportReceipt(db: Db, actor: PersonActor, scope: ReplayScope, name: string): Promise<ExportedReceipt> {
  return withTx(db, actor, async (tx) => {
    const job = await readReplayJob(tx, scope, name);
    if (!job) throw new AppError("not-found");
    const items = await listReplayItems(tx, job.requestId, 0, replayLimits.recordsMax);
    await appendAuditEntry(tx, actor, {
      act: "replay.exported",
      clinicId: job.clinicId,
      subjectType: "replay",
      subjectId: job.requestId,
      details: { job: job.jobRef, items: items.length },
    });
    return { exportedAt: job.asOf, job, items };
  });
}
