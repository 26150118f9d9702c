import { type Db, type Tx, withTx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { backoffMs } from "@/server/domain/leases/backoff";
import { type Actor, actorIdentity } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import type { Verdict } from "./apply-in-tx";
import { type PlanningRun, readRun } from "./read-run";
import { isApplicable, workerTriesAgain } from "./states";
import type { ApplyResult } from "./types";

/** Who applied, and how long all runs of the transaction took. */
export type AttemptOf = { actor: Actor; requestKey: string | null; runs: number; durationMs: number };

/** Writes how an apply ended, in its own transaction: the moves and their verdict exist together or not at all. */
export async function recordVerdict(
  tx: Tx,
  run: PlanningRun,
  verdict: Verdict,
  of: AttemptOf & { commandId: string },
): Promise<ApplyResult> {
  const { scopeFactVersion, ...compared } = verdict;
  const result: ApplyResult = { ...base(run, of), ...compared, sqlstate: null };
  const isApplied = verdict.outcome === "APPLIED";
  const person = of.actor.kind === "person" ? of.actor : null;
  const rows = await tx.sql`
    update planning_runs
    set state = ${verdict.outcome}, lease_owner = null, lease_until = null, next_attempt_at = null, apply_attempts = apply_attempts + 1,
        apply_by_id = coalesce(${person?.userId ?? null}, apply_by_id), apply_by_ref = coalesce(${person?.ref ?? null}, apply_by_ref),
        applied_at = case when ${isApplied}::boolean then clock_timestamp() end,
        apply_command_id = case when ${isApplied}::boolean then ${of.commandId}::uuid end,
        ended_at = case when ${isApplied}::boolean then clock_timestamp() end,
        stale_at = case when ${isApplied}::boolean then stale_at else clock_timestamp() end,
        stale_kind = case when ${isApplied}::boolean then stale_kind else ${verdict.staleKind} end, version = version + 1
    where id = ${run.id} and fence = ${run.fence} and state = ${run.state}
    returning 1`;
  if (rows.length !== 1) throw new Error("a run that is held was changed beside its apply");
  await insertAttempt(tx, run, result, of, scopeFactVersion);
  return result;
}

/**
 * The database asked for another attempt until they were used up. The run keeps its plan and says when it is tried again; a transaction of its own, since
 * that of the apply is undone. Answers the state of a rival who ended the run meanwhile as a refusal.
 */
export function recordRetryable(
  db: Db,
  actor: Actor,
  key: { clinicId: string; runId: string; fence?: string },
  of: AttemptOf & { sqlstate: string },
): Promise<ApplyResult> {
  return withTx(db, actor, async (tx) => {
    const run = await readRun(tx, key.clinicId, key.runId, true);
    if (!run) throw new AppError("not-found");
    if (!isApplicable(run.state) || (key.fence !== undefined && run.fence !== key.fence))
      throw new AppError("action-not-allowed", undefined, { why: "ENDED", state: run.state });
    const result: ApplyResult = { ...base(run, of), ...nothingCompared, outcome: "RETRYABLE", sqlstate: of.sqlstate };
    const person = actor.kind === "person" ? actor : null;
    const delayMs = workerTriesAgain(run.workerAttempts) ? 1_000 + backoffMs(run.workerAttempts + 1, Math.random) : null;
    await tx.sql`
      update planning_runs
      set state = 'RETRYABLE', sqlstate = ${of.sqlstate}, lease_owner = null, lease_until = null, apply_attempts = apply_attempts + 1,
          next_attempt_at = clock_timestamp() + ${delayMs}::int4 * interval '1 millisecond',
          apply_by_id = coalesce(${person?.userId ?? null}, apply_by_id), apply_by_ref = coalesce(${person?.ref ?? null}, apply_by_ref),
          version = version + 1
      where id = ${run.id}`;
    await insertAttempt(tx, run, result, of, null);
    await appendAuditEntry(tx, actor, {
      act: "planning.applied",
      result: "REFUSED",
      reasonCode: of.sqlstate,
      ...(person ? { role: "STAFF" as const } : {}),
      clinicId: run.clinicId,
      subjectType: "planning-run",
      subjectId: run.id,
      details: { run: run.ref, attempt: result.attempt, written: 0, runs: of.runs, orderedBy: person?.ref ?? run.applyByRef },
    });
    return result;
  });
}

const base = (run: PlanningRun, { runs, durationMs }: AttemptOf) => ({
  runId: run.id,
  runRef: run.ref,
  attempt: run.applyAttempts + 1,
  runs,
  durationMs,
});

const nothingCompared = {
  reached: "SCOPE",
  staleKind: null,
  factVersion: null,
  factGroups: null,
  sourcesCompared: null,
  sourcesBehind: null,
  behind: [],
  casFailures: 0,
  capacity: null,
  written: 0,
  stepMs: {},
} as const satisfies Partial<ApplyResult>;

async function insertAttempt(tx: Tx, run: PlanningRun, result: ApplyResult, of: AttemptOf, scopeFactVersion: string | null): Promise<void> {
  const { kind, id, ref } = actorIdentity(of.actor);
  await tx.sql`
    insert into planning_apply_attempts (id, tenant_group_id, clinic_id, run_id, attempt, request_key, actor_kind, actor_id, actor_ref, outcome, reached,
      stale_kind, fact_version, fact_groups, scope_fact_version, sources_compared, sources_behind, behind, cas_failures, capacity, sqlstate, runs, written,
      started_at, step_ms, duration_ms)
    values (${newUuid()}, ${run.tenantGroupId}, ${run.clinicId}, ${run.id}, ${result.attempt}, ${of.requestKey}, ${kind}, ${id}, ${ref},
      ${result.outcome}, ${result.reached}, ${result.staleKind}, ${result.factVersion?.found ?? null},
      ${result.factGroups && JSON.stringify(result.factGroups)}::jsonb, ${scopeFactVersion}, ${result.sourcesCompared}, ${result.sourcesBehind},
      ${JSON.stringify(result.behind)}::jsonb, ${result.casFailures}, ${result.capacity && JSON.stringify(result.capacity)}::jsonb, ${result.sqlstate},
      ${result.runs}, ${result.written}, clock_timestamp() - ${of.durationMs} * interval '1 millisecond', ${JSON.stringify(result.stepMs)}::jsonb,
      ${result.durationMs})`;
}
