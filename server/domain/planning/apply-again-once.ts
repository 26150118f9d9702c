import { type Db, type Tx, withTx } from "@/db/client";
import { needsRestart, sqlstate } from "@/db/tx-error";
import { systemClock } from "@/server/clock";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { newUuid } from "@/server/ids";
import { testPoint } from "@/server/test-points";
import { applyInTx } from "./apply-in-tx";
import { applyTx } from "./apply-plan";
import { workerOf } from "./claim-run";
import { HeldScope } from "./held-scope";
import { planningLimits } from "./limits";
import { type PlanningRun, readRun, toRun } from "./read-run";
import { recordRetryable, recordVerdict } from "./record-attempt";
import type { ApplyOutcome } from "./types";

export type AppliedAgain = { claimed: number; outcome: ApplyOutcome | "FENCED" | "ROLE_REMOVED" | null };

/**
 * Applies one RETRYABLE run again that is due: the same plan, the same fence, decided anew. At most five times by itself; then STAFF decide. Who ordered the
 * apply must still hold STAFF at this moment. A worker that dies in between leaves the run to its lease.
 */
export async function applyAgainOnce(db: Db, worker: string, options: { leaseMs?: number } = {}): Promise<AppliedAgain> {
  const run = await claimRetryable(db, worker, options.leaseMs ?? 30_000);
  if (!run) return { claimed: 0, outcome: null };
  await testPoint("planning.afterRetryClaim", run);
  const startedMs = systemClock.monotonicMs();
  const elapsedMs = () => Math.round(systemClock.monotonicMs() - startedMs);
  const actor = workerOf(worker, run);
  let runs = 0;
  try {
    const outcome = await withTx(
      db,
      actor,
      async (tx) => {
        runs += 1;
        const { tenantGroupId, clinicId, id: runId } = run;
        const held = await HeldScope.lock(tx, { tenantGroupId, clinicId, runId, run: runs });
        return applyHeld(tx, held, worker, run, { runs, elapsedMs });
      },
      applyTx,
    );
    return { claimed: 1, outcome };
  } catch (error) {
    if (!needsRestart(error)) throw error;
    const attempt = { actor, requestKey: null, runs, durationMs: elapsedMs(), sqlstate: sqlstate(error) ?? "40001" };
    const { outcome } = await recordRetryable(db, actor, { clinicId: run.clinicId, runId: run.id, fence: run.fence }, attempt);
    return { claimed: 1, outcome };
  }
}

async function applyHeld(
  tx: Tx,
  held: HeldScope,
  worker: string,
  claimed: PlanningRun,
  of: { runs: number; elapsedMs: () => number },
): Promise<NonNullable<AppliedAgain["outcome"]>> {
  const run = await readRun(tx, claimed.clinicId, claimed.id, true);
  if (run?.state !== "RETRYABLE" || run.fence !== claimed.fence) return "FENCED";
  const actor = workerOf(worker, run);
  if (!(await ordererHoldsRole(tx, run))) return leaveToStaff(tx, worker, run);
  const commandId = newUuid();
  const { tenantGroupId, clinicId } = run;
  const call = { actor, tenantGroupId, clinicId, commandId, role: null, reasonCode: "CLINIC_REQUEST" };
  const verdict = await applyInTx(tx, held, run, call, systemClock.monotonicMs);
  const result = await recordVerdict(tx, run, verdict, { actor, commandId, requestKey: null, runs: of.runs, durationMs: of.elapsedMs() });
  await appendAuditEntry(tx, actor, {
    act: "planning.applied",
    result: result.outcome === "APPLIED" ? "DONE" : "STALE_REJECTED",
    ...(result.staleKind ? { reasonCode: result.staleKind } : {}),
    clinicId,
    commandId,
    subjectType: "planning-run",
    subjectId: run.id,
    details: { run: run.ref, attempt: result.attempt, written: result.written, orderedBy: run.applyByRef },
  });
  return result.outcome;
}

function claimRetryable(db: Db, worker: string, leaseMs: number): Promise<PlanningRun | null> {
  return withTx(db, { worker }, async (tx) => {
    const [row] = await tx.sql`
      with due as materialized (
        select id
        from planning_runs
        where state = 'RETRYABLE' and next_attempt_at <= clock_timestamp() and worker_attempts < ${planningLimits.workerAttemptsMax}
          and (lease_until is null or lease_until <= clock_timestamp())
        order by next_attempt_at
        limit 1
        for no key update skip locked
      )
      update planning_runs r
      set fence = r.fence + 1, lease_owner = ${worker}, lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
          worker_attempts = r.worker_attempts + 1, version = r.version + 1,
          next_attempt_at = case -- should this worker die
            when r.worker_attempts + 1 < ${planningLimits.workerAttemptsMax} then clock_timestamp() + ${leaseMs} * interval '1 millisecond'
          end
      from due
      where r.id = due.id
      returning r.*`;
    return row ? toRun(row) : null;
  });
}

/** Held until the apply has ended, as for a person: a role that is taken away while we waited for the scope makes this 40001, and the next run sees it. */
async function ordererHoldsRole(tx: Tx, run: PlanningRun): Promise<boolean> {
  const [held] = await tx.sql<{ holds: boolean }[]>`select hold_role(${run.applyById}, ${run.clinicId}, 'STAFF') as holds`;
  return held?.holds ?? false;
}

/** Nothing is tried again by itself; the plan stays, for somebody who may. */
async function leaveToStaff(tx: Tx, worker: string, run: PlanningRun): Promise<"ROLE_REMOVED"> {
  await tx.sql`
    update planning_runs set next_attempt_at = null, lease_owner = null, lease_until = null, version = version + 1 where id = ${run.id}`;
  await appendAuditEntry(tx, workerOf(worker, run), {
    act: "planning.applied",
    result: "REFUSED",
    reasonCode: "ROLE_REMOVED",
    clinicId: run.clinicId,
    subjectType: "planning-run",
    subjectId: run.id,
    details: { run: run.ref, orderedBy: run.applyByRef },
  });
  return "ROLE_REMOVED";
}
