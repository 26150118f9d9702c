import type { Tx } from "@/db/client";
import type { ClinicFactChangeV1 } from "@/server/domain/event-log/contracts/clinic-fact-v1";
import type { PublishedEvent } from "@/server/domain/event-log/envelope";
import { done, noEffect, type Outcome } from "@/server/domain/inbox/types";

export type TriggerReason = "NO_PLAN";

/**
 * The handler of planning-trigger-v1: a fact changed under a plan that is calculated and not applied. The plan is marked as probably stale, so that STAFF
 * see it before they try; whether it really is, is decided by the apply alone. Only plans that rest on older facts, and whose dates the fact touches: a
 * closure of next week is nothing to this one. One statement for a batch of one tenant group.
 */
export async function markProbablyStale(tx: Tx, events: readonly PublishedEvent<ClinicFactChangeV1>[]): Promise<Outcome<TriggerReason>[]> {
  const facts = events.map(({ payload }) => payload);
  const marked = await tx.sql<{ positions: string[] }[]>`
    with changed as materialized (
      select *
      from unnest(${facts.map(({ clinicId }) => clinicId)}::uuid[], ${facts.map(({ factVersion }) => factVersion)}::int8[],
        ${facts.map(({ fact }) => fact)}::text[], ${facts.map(({ from }) => from)}::timestamptz[],
        ${facts.map(({ until }) => until)}::timestamptz[]) with ordinality as c (clinic_id, fact_version, fact, starts, ends, position)
    ), touched as materialized (
      select r.id, array_agg(distinct c.fact order by c.fact) as facts, array_agg(c.position::text) as positions
      from planning_runs r
      join changed c on c.clinic_id = r.clinic_id and c.fact_version > r.scope_fact_version
        -- a day on either side: the dates are the clinic's own, and no zone is converted here
        and (c.starts is null or c.starts < (r.until_date + 2)::timestamp at time zone 'UTC')
        and (c.ends is null or c.ends > (r.from_date - 1)::timestamp at time zone 'UTC')
      where r.tenant_group_id = ${events[0]?.tenantGroupId ?? null} and r.state in ('CALCULATED', 'RETRYABLE')
      group by r.id
    )
    update planning_runs r
    set probably_stale_at = coalesce(r.probably_stale_at, clock_timestamp()),
        probably_stale_facts = array(select distinct unnest(coalesce(r.probably_stale_facts, '{}') || t.facts) order by 1)
    from touched t
    where r.id = t.id
    returning t.positions`;
  const effective = new Set(marked.flatMap(({ positions }) => positions.map(Number)));
  return events.map((_, i) => (effective.has(i + 1) ? done : noEffect("NO_PLAN")));
}
