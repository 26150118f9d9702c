import type { Tx } from "@/db/client";
import { planningLimits } from "../planning/limits";
import { degradedClinics } from "./planning-degraded";
import { groupOf } from "./planning-rows";
import type { PlanningCounts, WindowCount } from "./planning-types";
import type { OperationsScope } from "./types";

const spans = 12;
/** Its number among the spans. */
const lastHour = -1;

/** Numbers of the tiles: applied and refused from the append-only applies of 24 hours, open from the runs as they are, degraded from what waits to be sent. */
export async function planningCounts(tx: Tx, scope: OperationsScope): Promise<PlanningCounts> {
  const clinicIds = [...scope.clinicIds];
  const found = await tx.sql<{ what: string; span: number; n: number }[]>`
    with span as (
      select n, statement_timestamp() - (n + 1) * interval '2 hours' as after, statement_timestamp() - n * interval '2 hours' as until
      from generate_series(0, ${spans - 1}::int) n
      union all
      select ${lastHour}::int, statement_timestamp() - interval '1 hour', statement_timestamp()
    ), ended as (
      select outcome as what, ended_at as at from planning_apply_attempts
      where tenant_group_id = ${scope.tenantGroupId} and clinic_id = any (${clinicIds}::uuid[]) and outcome in ('APPLIED', 'STALE_REJECTED')
        and ended_at > statement_timestamp() - interval '24 hours'
      union all
      select 'DEGRADED', settled_at from notification_intents
      where tenant_group_id = ${scope.tenantGroupId} and clinic_id = any (${clinicIds}::uuid[]) and state in ('EXHAUSTED', 'UNKNOWN')
        and settled_at > statement_timestamp() - interval '24 hours'
    )
    select ended.what, span.n as span, count(*)::int as n
    from ended
    join span on ended.at > span.after and ended.at <= span.until
    group by 1, 2`;
  const [now] = await tx.sql<{ stale: number; decision: number; waiting: number; as_of: string }[]>`
    select count(*) filter (where r.state = 'STALE_REJECTED')::int as stale, count(*) filter (where ${groupOf(tx)} = 'DECISION')::int as decision,
      count(*) filter (where ${groupOf(tx)} = 'WAITING')::int as waiting, clock_timestamp() as as_of
    from planning_runs r
    where r.tenant_group_id = ${scope.tenantGroupId} and r.clinic_id = any (${clinicIds}::uuid[]) and r.ended_at is null`;
  if (!now) throw new Error("an aggregate without a row");
  const degraded = await degradedClinics(tx, scope);

  const windowOf = (what: string): WindowCount => {
    const of = (span: number) => found.find((row) => row.what === what && row.span === span)?.n ?? 0;
    const bars = Array.from({ length: spans }, (_, i) => of(spans - 1 - i));
    return { count: bars.reduce((sum, n) => sum + n, 0), lastHour: of(lastHour), bars };
  };
  const stale = windowOf("STALE_REJECTED");
  const since = degraded.map(({ at }) => at).sort()[0] ?? null;
  return {
    applied: windowOf("APPLIED"),
    stale: { ...stale, count: now.stale, in24h: stale.count },
    degraded: { ...windowOf("DEGRADED"), count: degraded.length, since },
    needsDecision: now.decision + degraded.length,
    waiting: now.waiting,
    daysMax: planningLimits.daysMax,
    asOf: now.as_of,
  };
}

/** Rows that a person must decide: for the badge of the navigation. */
export async function planningNeedsDecision(tx: Tx, scope: OperationsScope): Promise<number> {
  const [row] = await tx.sql<{ count: number }[]>`
    select count(*)::int as count
    from planning_runs r
    where r.tenant_group_id = ${scope.tenantGroupId} and r.clinic_id = any (${[...scope.clinicIds]}::uuid[]) and r.ended_at is null
      and ${groupOf(tx)} = 'DECISION'`;
  return (row?.count ?? 0) + (await degradedClinics(tx, scope)).length;
}
