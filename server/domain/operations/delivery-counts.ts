import type { Tx } from "@/db/client";
import { isOfBusiness } from "./of-business";
import type { OperationsScope } from "./types";

/** `bars`: arrivals in each of the last 12 spans of 2 hours, oldest first. */
type WindowCount = { count: number; lastHour: number; bars: number[] };
export type DeliveryCounts = {
  processed: WindowCount;
  duplicate: WindowCount;
  retry: WindowCount;
  quarantined: WindowCount;
  /** Quarantined rows and events that could not be published: what only a person can move on. */
  needsDecision: number;
  /** Of these: taken on by the reader. */
  mine: number;
  /** Stopped rows that STAFF decided to keep as they are. */
  kept: number;
  waiting: number;
  /** Rows of the queue that settled in the last 24 hours or are kept: a command that was called again is one, however often. */
  settled: number;
  nextAttemptAt: string | null;
  asOf: string;
};

const spans = 12;
/** Its number among the spans. */
const lastHour = -1;

/**
 * Numbers of the tiles, counted from the append-only records: finished and reused of the last 24 hours from `inbox_deliveries` (and calls that
 * got a stored answer from `command_calls`), waiting from the rows as they are now, stopped from the counters of the reason groups. Two statements.
 * Ask it with `byIndex`: each span of time is a range of one index that holds all that is asked for, and nothing is computed for a row.
 */
export async function deliveryCounts(tx: Tx, scope: OperationsScope & { userId: string }): Promise<DeliveryCounts> {
  const clinicIds = [...scope.clinicIds];
  const arrivals = await tx.sql<{ outcome: string; span: number; n: number }[]>`
    with span as (
      select n, statement_timestamp() - (n + 1) * interval '2 hours' as after, statement_timestamp() - n * interval '2 hours' as until
      from generate_series(0, ${spans - 1}::int) n
      union all
      select ${lastHour}::int, statement_timestamp() - interval '1 hour', statement_timestamp()
    )
    select outcome.name as outcome, span.n as span, sum(arrived.n + repeated.n)::int as n
    from span
    cross join unnest(array['PROCESSED', 'DUPLICATE', 'RETRYABLE', 'QUARANTINED']) outcome (name)
    cross join unnest(${clinicIds}::uuid[]) clinic (id)
    cross join lateral (
      select count(*) as n from inbox_deliveries d
      where d.clinic_id = clinic.id and d.outcome = outcome.name and d.at > span.after and d.at <= span.until) arrived
    cross join lateral (
      select count(*) as n from command_calls c
      where outcome.name = 'DUPLICATE' and c.clinic_id = clinic.id and c.outcome = 'REPLAYED' and c.called_at > span.after and c.called_at <= span.until
        and ${isOfBusiness(tx, "c.operation")}) repeated
    group by 1, 2`;
  const [now] = await tx.sql<
    {
      retry: number;
      stopped: number;
      open: number;
      kept: number;
      mine: number;
      processing: number;
      surplus_calls: number;
      next_attempt_at: string | null;
      as_of: string;
    }[]
  >`
    select
      (select count(*)::int from inbox i where i.clinic_id = any (${clinicIds}::uuid[]) and i.state = 'RETRYABLE') as retry,
      (select count(*)::int from inbox i where i.clinic_id = any (${clinicIds}::uuid[]) and i.state = 'PROCESSING') as processing,
      (select min(first.next_attempt_at)
        from unnest(${clinicIds}::uuid[]) clinic (id)
        cross join lateral (
          select i.next_attempt_at from inbox i
          where i.clinic_id = clinic.id and i.state = 'RETRYABLE' and i.next_attempt_at is not null
          order by i.next_attempt_at
          limit 1) first) as next_attempt_at,
      (select count(*)::int - count(distinct c.command_id)::int from command_calls c
        where c.clinic_id = any (${clinicIds}::uuid[]) and c.outcome = 'REPLAYED' and c.called_at > statement_timestamp() - interval '24 hours'
          and c.operation not like 'delivery.%' and c.operation not like 'drill.%') as surplus_calls,
      (select count(*)::int from delivery_tasks t
        where t.assignee_id = ${scope.userId} and t.status = 'OPEN' and t.clinic_id = any (${clinicIds}::uuid[])) as mine,
      coalesce(sum(g.open + g.kept) filter (where g.row_kind = 'inbox'), 0)::int as stopped,
      coalesce(sum(g.open), 0)::int as open,
      coalesce(sum(g.kept), 0)::int as kept,
      clock_timestamp() as as_of
    from delivery_groups g
    where g.tenant_group_id = ${scope.tenantGroupId} and g.clinic_id = any (${clinicIds}::uuid[])`;
  if (!now) throw new Error("an aggregate without a row");

  const windowOf = (outcome: string, count?: number): WindowCount => {
    const of = (span: number) => arrivals.find((row) => row.outcome === outcome && row.span === span)?.n ?? 0;
    const bars = Array.from({ length: spans }, (_, i) => of(spans - 1 - i));
    return { count: count ?? bars.reduce((sum, n) => sum + n, 0), lastHour: of(lastHour), bars };
  };
  const [processed, duplicate] = [windowOf("PROCESSED"), windowOf("DUPLICATE")];
  return {
    processed,
    duplicate,
    retry: windowOf("RETRYABLE", now.retry),
    quarantined: windowOf("QUARANTINED", now.stopped),
    needsDecision: now.open,
    mine: now.mine,
    kept: now.kept,
    settled: processed.count + duplicate.count - now.surplus_calls + now.kept,
    waiting: now.retry + now.processing,
    nextAttemptAt: now.next_attempt_at,
    asOf: now.as_of,
  };
}
