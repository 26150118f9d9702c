import { type Db, type Tx, withTx } from "@/db/client";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import type { ClaimedRun } from "./claim-run";
import { DrillEnded, type DrillProgress } from "./drill-progress";
import type { DrillReason, DrillState } from "./types";

export type RunEnd = { state: Extract<DrillState, "PASSED" | "FAILED" | "CANCELLED">; reason: DrillReason | null };
type Progress = Pick<DrillProgress, "steps" | "invariants">;

/** Ends a run by fence, with its audit entry. One that another runner has by now is left to it. */
export async function endRun(tx: Tx, worker: string, run: ClaimedRun, end: RunEnd, progress?: Progress): Promise<"ENDED"> {
  const [ended] = await tx.sql`
    update drill_runs
    set state = ${end.state}, reason_code = ${end.reason}, lease_owner = null, lease_until = null, ended_at = clock_timestamp(),
        duration_ms = (extract(epoch from clock_timestamp() - started_at) * 1000)::int4,
        steps = coalesce(${progress ? JSON.stringify(progress.steps) : null}::jsonb, steps),
        invariants = coalesce(${progress ? JSON.stringify(progress.invariants) : null}::jsonb, invariants), version = version + 1
    where id = ${run.id} and fence = ${run.fence} and state = 'RUNNING'
    returning duration_ms`;
  if (!ended || !run.tenantGroupId) return "ENDED";
  const actor = { kind: "worker", worker, tenantGroupId: run.tenantGroupId } as const;
  await appendAuditEntry(tx, actor, {
    act: "drill.ended",
    reasonCode: end.reason ?? undefined,
    subjectType: "drill",
    subjectId: run.id,
    details: { drill: run.drill, run: run.ref, state: end.state, scope: run.scope.ref },
  });
  return "ENDED";
}

/** Stores how far a run is, and renews its lease. Throws DrillEnded when it is another runner's by now, or STAFF wish it to end. */
export async function saveProgress(db: Db, worker: string, run: ClaimedRun, progress: Progress, leaseMs: number): Promise<void> {
  const [held] = await withTx(
    db,
    { worker },
    (tx) => tx.sql<{ wanted: string }[]>`
      update drill_runs
      set steps = ${JSON.stringify(progress.steps)}::jsonb, invariants = ${JSON.stringify(progress.invariants)}::jsonb,
          lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
      where id = ${run.id} and fence = ${run.fence} and state = 'RUNNING'
      returning wanted`,
  );
  if (!held) throw new DrillEnded("FENCED");
  if (held.wanted === "CANCEL") throw new DrillEnded("STOPPED_BY_STAFF");
}
