import type { PendingQuery, Row } from "postgres";
import type { Tx } from "@/db/client";
import type { FactGroup, PlanningFactVersion } from "../planning/snapshot/types";
import { isApplicable } from "../planning/states";
import type { ApplyStep, PlanningState, SourceBehind, StaleKind } from "../planning/types";
import type { RunProgress, RunRow, Unread, VersionPair } from "./planning-types";
import { versionNow } from "./planning-version-now";
import type { OperationsScope, QueueGroup } from "./types";

/** A run as its row shows it, with the last apply beside it. */
export type StoredRun = {
  id: string;
  ref: string;
  state: PlanningState;
  version: string;
  clinic_id: string;
  clinic_ref: string;
  zone: string;
  from_date: string;
  until_date: string;
  fact_version: string | null;
  fact_groups: Record<FactGroup, string> | null;
  scope_fact_version: string | null;
  scope_now: string | null;
  stale_kind: StaleKind | null;
  ended_reason: string | null;
  sqlstate: string | null;
  probably_stale: boolean;
  sources: number | null;
  moves: number | null;
  unplaced: number | null;
  stays: number;
  apply_attempts: number;
  wanted: "RUN" | "CANCEL";
  requested_by_id: string;
  requested_at: string;
  started_at: string | null;
  time_limit_ms: number;
  progress: RunProgress | null;
  next_attempt_at: string | null;
  lease_until: string | null;
  at: string;
  attempt: number | null;
  reached: ApplyStep | null;
  attempt_version: string | null;
  attempt_groups: Record<FactGroup, { expected: string; found: string }> | null;
  behind: SourceBehind[] | null;
  cas_failures: number | null;
  written: number | null;
};

/** Where a run stands in the queue, and what sorts it there. A retry with a next time goes on by itself; without one, STAFF decide. */
export const groupOf = (tx: Tx): PendingQuery<Row[]> => tx.sql`
  case
    when r.ended_at is not null then 'SETTLED'
    when r.state in ('REQUESTED', 'CALCULATING') or (r.state = 'RETRYABLE' and r.next_attempt_at is not null) then 'WAITING'
    else 'DECISION'
  end`;
export const atOf = (tx: Tx): PendingQuery<Row[]> => tx.sql`
  case
    when r.ended_at is not null then r.ended_at
    when r.state in ('REQUESTED', 'CALCULATING') then r.requested_at
    when r.state = 'RETRYABLE' and r.next_attempt_at is not null then r.next_attempt_at
    when r.state = 'STALE_REJECTED' then r.stale_at
    else r.calculated_at
  end`;

export const runColumns = (tx: Tx): PendingQuery<Row[]> => tx.sql`
  r.id, r.ref, r.state, r.version::text as version, r.clinic_id, c.ref as clinic_ref, c.zone, r.from_date::text as from_date,
  r.until_date::text as until_date, r.fact_version, r.fact_groups, r.scope_fact_version::text as scope_fact_version,
  s.fact_version::text as scope_now, r.stale_kind, r.ended_reason, r.sqlstate, r.probably_stale_at is not null as probably_stale, r.sources, r.moves,
  r.unplaced, r.stays, r.apply_attempts, r.wanted, r.requested_by_id, r.requested_at, r.started_at, r.time_limit_ms, r.progress, r.next_attempt_at,
  r.lease_until, ${atOf(tx)} as at, a.attempt, a.reached, a.fact_version as attempt_version, a.fact_groups as attempt_groups, a.behind, a.cas_failures,
  a.written`;
export const runTables = (tx: Tx): PendingQuery<Row[]> => tx.sql`
  planning_runs r
  join clinics c on c.id = r.clinic_id
  left join planning_scopes s on s.clinic_id = r.clinic_id
  left join lateral (
    select attempt, reached, fact_version, fact_groups, behind, cas_failures, written
    from planning_apply_attempts where run_id = r.id order by attempt desc limit 1) a on true`;

/** The version of now beside the calculated one. `byCounter`: equal counters of the scope spare the reading, as no fact has moved between them. */
export async function compareRun(tx: Tx, scope: OperationsScope, run: StoredRun, byCounter: boolean) {
  if (!run.fact_version || !run.fact_groups) return { pair: null, now: null };
  const calculated = { version: run.fact_version, groups: run.fact_groups };
  const now = await nowOf(tx, scope, run, calculated, byCounter);
  return { pair: { calculated: calculated.version, current: now?.version ?? null } satisfies VersionPair, now };
}

/** Of a run that has ended: what its last apply found, and nothing newer. */
async function nowOf(
  tx: Tx,
  scope: OperationsScope,
  run: StoredRun,
  calculated: PlanningFactVersion,
  byCounter: boolean,
): Promise<PlanningFactVersion | null> {
  if (!isOpen(run.state)) return foundBy(run);
  if (byCounter && run.scope_now !== null && run.scope_now === run.scope_fact_version) return calculated;
  return versionNow(tx, scope, { clinicId: run.clinic_id, fromDate: run.from_date, untilDate: run.until_date });
}

function foundBy({ attempt_version, attempt_groups }: StoredRun): PlanningFactVersion | null {
  if (!attempt_version || !attempt_groups) return null;
  const groups = Object.fromEntries(Object.entries(attempt_groups).map(([group, { found }]) => [group, found]));
  return { version: attempt_version, groups: groups as Record<FactGroup, string> };
}

/** A calculated plan about which something is still decided. */
export const isOpen = (state: PlanningState): boolean => isApplicable(state) || state === "STALE_REJECTED";

/** What should be there and could not be read: then nobody should decide. */
function unreadOf(run: StoredRun, pair: VersionPair | null): Unread[] {
  if (!isOpen(run.state) || !pair) return [];
  const wasTried = run.state === "STALE_REJECTED" || run.state === "RETRYABLE";
  return [
    ...(pair.current === null ? (["CURRENT_VERSION"] as const) : []),
    ...(wasTried && run.attempt === null ? (["ATTEMPT"] as const) : []),
  ];
}

export async function toRunRow(tx: Tx, scope: OperationsScope, run: StoredRun, group: QueueGroup, byCounter: boolean): Promise<RunRow> {
  const { pair, now } = await compareRun(tx, scope, run, byCounter);
  const unread = unreadOf(run, pair);
  const groups = Object.entries(run.fact_groups ?? {}) as [FactGroup, string][];
  return {
    kind: "run",
    id: `run.${run.id}`,
    group,
    state: unread.length > 0 ? "DEGRADED_REVIEW" : run.state,
    runState: run.state,
    clinicId: run.clinic_id,
    clinicRef: run.clinic_ref,
    zone: run.zone,
    at: run.at,
    ref: run.ref,
    version: run.version,
    fromDate: run.from_date,
    untilDate: run.until_date,
    versions: pair,
    differs: now ? groups.filter(([name, digest]) => now.groups[name] !== digest).map(([name]) => name) : [],
    staleKind: run.stale_kind,
    endedReason: run.ended_reason,
    sqlstate: run.sqlstate,
    probablyStale: run.probably_stale,
    behindRef: run.behind?.[0]?.ref ?? null,
    casFailures: run.cas_failures ?? 0,
    sources: run.sources,
    moves: run.moves,
    unplaced: run.unplaced,
    stays: run.stays,
    written: run.written ?? 0,
    applyAttempts: run.apply_attempts,
    wanted: run.wanted,
    requestedById: run.requested_by_id,
    requestedAt: run.requested_at,
    startedAt: run.started_at,
    timeLimitMs: run.time_limit_ms,
    progress: run.progress,
    nextAttemptAt: run.next_attempt_at,
    leaseUntil: run.lease_until,
    unread,
  };
}
