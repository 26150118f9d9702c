import type { Tx } from "@/db/client";
import { seeSources } from "../planning/lock-sources";
import type { FactGroup } from "../planning/snapshot/types";
import { factGroups } from "../planning/snapshot/types";
import type { Levels } from "../planning/solver/types";
import type { RequestedFrom } from "../planning/types";
import { factChangesOf } from "./planning-fact-changes";
import { questionsOfRun } from "./planning-questions";
import { compareRun, groupOf, runColumns, runTables, type StoredRun, toRunRow } from "./planning-rows";
import type { ApplyAttemptView, CalculationView, RunEvidence } from "./planning-types";
import type { OperationsScope, QueueGroup } from "./types";

const attemptsShown = 10;
const behindShown = 5;
const auditShown = 12;

type Stored = StoredRun & {
  queue_group: QueueGroup;
  tenant_ref: string;
  clinic_name: string;
  asked_by: string;
  requested_from: RequestedFrom;
  command_id: string;
  calculated_at: string | null;
  solve_ms: number;
  snapshot_ms: number;
  visits: number;
  movable: number;
  feasible: boolean;
  proven: boolean;
  reproducible: boolean;
  ended_by: string | null;
  cost: number;
  bound: number | null;
  gap: number | null;
  levels: Levels;
  seed: number;
  engine: Record<string, string | null>;
  applied_at: string | null;
  apply_by_ref: string | null;
  apply_command_id: string | null;
  ended_at: string | null;
  ended_by_ref: string | null;
  previous_id: string | null;
  previous_ref: string | null;
  previous_as: "RECALCULATION" | "PART" | null;
  as_of: string;
};

/** Evidence of one run, or null when it is not in the reader's clinics. The versions of now are read anew, never by the counter. */
export async function runEvidence(tx: Tx, scope: OperationsScope, id: string): Promise<RunEvidence | null> {
  const run = await readRun(tx, scope, id);
  if (!run) return null;
  const row = await toRunRow(tx, scope, run, run.queue_group, false);
  const { now } = await compareRun(tx, scope, run, false);
  return {
    kind: "run",
    row,
    scope: { tenantGroupRef: run.tenant_ref, clinicRef: run.clinic_ref, clinicName: run.clinic_name, zone: run.zone },
    asked: { byRef: run.asked_by, from: run.requested_from, at: run.requested_at, commandId: run.command_id },
    groups: run.fact_groups && groupPairs(run.fact_groups, now?.groups ?? null),
    ...(await factChangesOf(tx, scope, run, row.differs)),
    sources: run.sources === null ? null : await sourcesOf(tx, id),
    calculation: calculationOf(run),
    attempts: await readAttempts(tx, id),
    applied: await appliedOf(tx, scope, run),
    ended: run.ended_at ? { at: run.ended_at, byRef: run.ended_by_ref, reason: run.ended_reason } : null,
    previous:
      run.previous_id && run.previous_ref && run.previous_as
        ? { id: `run.${run.previous_id}`, ref: run.previous_ref, as: run.previous_as }
        : null,
    next: await successorsOf(tx, id),
    audit: await auditOf(tx, scope, run),
    questions: questionsOfRun(row),
    asOf: run.as_of,
  };
}

async function readRun(tx: Tx, scope: OperationsScope, id: string): Promise<Stored | undefined> {
  const [run] = await tx.sql<Stored[]>`
    select ${runColumns(tx)}, ${groupOf(tx)} as queue_group, g.ref as tenant_ref, c.name as clinic_name, r.requested_by_ref as asked_by, r.requested_from,
      r.command_id, r.calculated_at, r.solve_ms, r.snapshot_ms, r.visits, r.movable, r.feasible, r.proven, r.reproducible, r.ended_by, r.cost, r.bound,
      r.gap, r.levels, r.seed, r.engine, r.applied_at, r.apply_by_ref, r.apply_command_id, r.ended_at, r.ended_by_ref,
      p.id as previous_id, p.ref as previous_ref, r.previous_as, clock_timestamp() as as_of
    from ${runTables(tx)}
    join tenant_groups g on g.id = r.tenant_group_id
    left join planning_runs p on p.id = r.previous_run_id
    where r.id = ${id} and r.tenant_group_id = ${scope.tenantGroupId} and r.clinic_id = any (${[...scope.clinicIds]}::uuid[])`;
  return run;
}

const groupPairs = (calculated: Record<FactGroup, string>, current: Record<FactGroup, string> | null) =>
  factGroups.map((group) => ({ group, calculated: calculated[group], current: current?.[group] ?? null }));

/** Every stored version held against the visit of now, by the very statement of the apply: a signpost here, the fence there. */
async function sourcesOf(tx: Tx, runId: string): Promise<RunEvidence["sources"]> {
  const sources = await seeSources(tx, runId);
  const behind = sources.filter(({ isAsExpected }) => !isAsExpected).sort((a, b) => (a.ref < b.ref ? -1 : 1));
  return {
    byVersion: sources.filter(({ kind }) => kind === "VERSION").length,
    byPlacement: sources.filter(({ kind }) => kind === "PLACEMENT").length,
    behindCount: behind.length,
    behind: behind.slice(0, behindShown).map(({ ref, kind, expected, found }) => ({ ref, kind, from: expected, to: found })),
  };
}

function calculationOf(run: Stored): CalculationView | null {
  if (run.calculated_at === null) return null;
  return {
    calculatedAt: run.calculated_at,
    solveMs: run.solve_ms,
    snapshotMs: run.snapshot_ms,
    visits: run.visits,
    movable: run.movable,
    feasible: run.feasible,
    proven: run.proven,
    reproducible: run.reproducible,
    endedBy: run.ended_by,
    cost: run.cost,
    bound: run.bound,
    gap: run.gap,
    levels: run.levels,
    seed: run.seed,
    engine: run.engine,
  };
}

async function readAttempts(tx: Tx, runId: string): Promise<ApplyAttemptView[]> {
  const rows = await tx.sql<ApplyAttemptView[]>`
    select attempt, outcome, reached, stale_kind as "staleKind", actor_ref as "actorRef", sources_compared as "sourcesCompared",
      sources_behind as "sourcesBehind", behind, cas_failures as "casFailures", capacity ->> 'ref' as "capacityRef", sqlstate, runs, written,
      started_at as "startedAt", ended_at as "endedAt", duration_ms as "durationMs"
    from planning_apply_attempts
    where run_id = ${runId}
    order by attempt desc
    limit ${attemptsShown}`;
  return rows.map((row) => ({ ...row, behind: row.behind.slice(0, behindShown) }));
}

async function appliedOf(tx: Tx, scope: OperationsScope, run: Stored): Promise<RunEvidence["applied"]> {
  if (!run.applied_at || !run.apply_command_id) return null;
  const [told] = await tx.sql<{ told: number; to_tell: number }[]>`
    select count(*) filter (where state = 'SENT')::int as told, count(*) filter (where state in ('PENDING', 'SENDING', 'RETRY_WAIT'))::int as to_tell
    from notification_intents
    where command_id = ${run.apply_command_id} and tenant_group_id = ${scope.tenantGroupId}`;
  return {
    at: run.applied_at,
    byRef: run.apply_by_ref,
    commandId: run.apply_command_id,
    told: told?.told ?? 0,
    toTell: told?.to_tell ?? 0,
  };
}

async function successorsOf(tx: Tx, runId: string): Promise<RunEvidence["next"]> {
  const rows = await tx.sql<RunEvidence["next"]>`
    select 'run.' || id as id, ref, previous_as as "as" from planning_runs where previous_run_id = ${runId} order by requested_at desc limit 5`;
  return [...rows];
}

async function auditOf(tx: Tx, scope: OperationsScope, run: Stored): Promise<RunEvidence["audit"]> {
  const rows = await tx.sql<RunEvidence["audit"]>`
    select id, at, actor_ref as "actorRef", act, result
    from audit_entries
    where subject_id = ${run.id} and tenant_group_id = ${scope.tenantGroupId} and act <> 'evidence.viewed'
    order by at desc, id desc
    limit ${auditShown}`;
  return [...rows];
}
