import type { Row } from "postgres";
import type { Tx } from "@/db/client";
import { toIso } from "@/server/clock";
import { type DrillName, drillNames } from "./catalog";
import type { OpenRun } from "./next-actions";
import type { DrillReason, DrillState, InvariantRecord, StepRecord } from "./types";

/** A run as a person reads it. */
export type DrillRun = {
  id: string;
  ref: string;
  drill: DrillName;
  carriedOut: "AUTOMATED" | "BY_PEOPLE";
  startedByKind: "person" | "command-line";
  startedByRef: string;
  people: number | null;
  state: DrillState;
  wanted: "RUN" | "CANCEL";
  scopeRef: string | null;
  scopeRemovedAt: string | null;
  /** Runners that had it; more than one: a runner died and the drill began again. */
  takes: number;
  steps: StepRecord[];
  invariants: InvariantRecord[];
  reasonCode: DrillReason | null;
  note: string | null;
  requestedAt: string;
  startedAt: string | null;
  endedAt: string | null;
  durationMs: number | null;
};

/** The last run of each drill, of the tenant group or of the whole installation, and when it was asked. */
export async function listLatestRuns(tx: Tx, tenantGroupId: string): Promise<{ runs: DrillRun[]; asOf: string }> {
  const rows = await tx.sql`
    select latest.*
    from unnest(${drillNames}::text[]) as d (name)
    cross join lateral (
      select ${columns(tx)} from drill_runs r
      where r.drill = d.name and (r.tenant_group_id = ${tenantGroupId} or r.tenant_group_id is null)
      order by r.requested_at desc
      limit 1) latest`;
  const [now] = await tx.sql<{ at: string }[]>`select clock_timestamp() as at`;
  return { runs: rows.map(toRun), asOf: toIso(now?.at as string) };
}

/** The latest runs of one drill, newest first. */
export async function listRunsOf(tx: Tx, tenantGroupId: string, drill: DrillName, limit: number): Promise<DrillRun[]> {
  const rows = await tx.sql`
    select ${columns(tx)} from drill_runs r
    where r.drill = ${drill} and (r.tenant_group_id = ${tenantGroupId} or r.tenant_group_id is null)
    order by r.requested_at desc
    limit ${limit}`;
  return rows.map(toRun);
}

/** The run that is under way in the tenant group; one at a time. */
export async function readOpenRun(tx: Tx, tenantGroupId: string): Promise<OpenRun> {
  const [run] = await tx.sql<NonNullable<OpenRun>[]>`
    select drill, state, wanted from drill_runs where tenant_group_id = ${tenantGroupId} and state in ('REQUESTED', 'RUNNING')`;
  return run ?? null;
}

const columns = (tx: Tx) => tx.sql`
  r.id, r.ref, r.drill, r.carried_out, r.started_by_kind, r.started_by_ref, r.people, r.state, r.wanted, r.scope_ref, r.scope_removed_at, r.fence, r.steps,
  r.invariants, r.reason_code, r.note, r.requested_at, r.started_at, r.ended_at, r.duration_ms`;

const iso = (text: string | null) => (text === null ? null : toIso(text));

const toRun = (row: Row): DrillRun => ({
  id: row.id,
  ref: row.ref,
  drill: row.drill,
  carriedOut: row.carried_out,
  startedByKind: row.started_by_kind,
  startedByRef: row.started_by_ref,
  people: row.people,
  state: row.state,
  wanted: row.wanted,
  scopeRef: row.scope_ref,
  scopeRemovedAt: iso(row.scope_removed_at),
  takes: Number(row.fence),
  steps: row.steps,
  invariants: row.invariants,
  reasonCode: row.reason_code,
  note: row.note,
  requestedAt: toIso(row.requested_at),
  startedAt: iso(row.started_at),
  endedAt: iso(row.ended_at),
  durationMs: row.duration_ms,
});

/** A run by its reference. */
export async function readRunNamed(tx: Tx, ref: string): Promise<DrillRun | undefined> {
  const [row] = await tx.sql`select ${columns(tx)} from drill_runs r where r.ref = ${ref}`;
  return row && toRun(row);
}
