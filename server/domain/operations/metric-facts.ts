import type { Tx } from "@/db/client";
import { roleHealth, type WorkerRole } from "./worker-health";

export type MetricFacts = {
  heartbeats: { role: WorkerRole; processes: number; ageSeconds: number | null }[];
  /** Attempts of the last hour whose worker did not finish in time. */
  leasesLost: { consumer: string; attempts: number }[];
  /** Items of the replays that ended in the last day, by what became of them. */
  replayed: Record<"processed" | "duplicate" | "retryable" | "quarantined" | "skipped" | "not_reached", number>;
  /** Replays that are not ended. */
  openReplays: { state: string; requests: number; oldestSeconds: number }[];
  /** Plans that have not ended. */
  planningRuns: { state: string; runs: number; oldestSeconds: number }[];
  /** Applies of the last hour by outcome, and the runs of their transactions. */
  planningApplies: Record<"applied" | "stale_rejected" | "retryable" | "runs", number>;
};

/** What the page of metrics says of all tenant groups beside the backlogs: heartbeats, lost leases, replays, plans. Six statements, by indexes. */
export async function metricFacts(tx: Tx): Promise<MetricFacts> {
  const heartbeats = (await roleHealth(tx)).map(({ role, processes, silentSeconds }) => ({ role, processes, ageSeconds: silentSeconds }));
  const leasesLost = await tx.sql<MetricFacts["leasesLost"]>`
    select d.consumer, count(*)::int as attempts
    from clinics c
    cross join lateral (
      select consumer from inbox_deliveries d
      where d.clinic_id = c.id and d.outcome in ('RETRYABLE', 'QUARANTINED') and d.at > clock_timestamp() - interval '1 hour'
        and d.reason_code = 'LEASE_EXPIRED') d
    group by d.consumer`;
  const [replayed] = await tx.sql<MetricFacts["replayed"][]>`
    select coalesce(sum(processed), 0)::int as processed, coalesce(sum(duplicate), 0)::int as duplicate, coalesce(sum(retryable), 0)::int as retryable,
      coalesce(sum(quarantined), 0)::int as quarantined, coalesce(sum(skipped), 0)::int as skipped, coalesce(sum(not_reached), 0)::int as not_reached
    from replay_requests
    where ended_at > clock_timestamp() - interval '1 day'`;
  const openReplays = await tx.sql<MetricFacts["openReplays"]>`
    select state, count(*)::int as requests, extract(epoch from clock_timestamp() - min(approved_at))::float8 as "oldestSeconds"
    from replay_requests
    where state in ('AWAITING_SECOND', 'QUEUED', 'RUNNING', 'PAUSED')
    group by state`;
  const planningRuns = await tx.sql<MetricFacts["planningRuns"]>`
    select state, count(*)::int as runs, extract(epoch from clock_timestamp() - min(requested_at))::float8 as "oldestSeconds"
    from planning_runs
    where state in ('REQUESTED', 'CALCULATING') or state in ('CALCULATED', 'RETRYABLE', 'STALE_REJECTED')
    group by state`;
  const [planningApplies] = await tx.sql<MetricFacts["planningApplies"][]>`
    select count(*) filter (where outcome = 'APPLIED')::int as applied, count(*) filter (where outcome = 'STALE_REJECTED')::int as stale_rejected,
      count(*) filter (where outcome = 'RETRYABLE')::int as retryable, coalesce(sum(runs), 0)::int as runs
    from planning_apply_attempts
    where ended_at > clock_timestamp() - interval '1 hour'`;
  if (!replayed || !planningApplies) throw new Error("an aggregate without a row");
  return {
    heartbeats,
    leasesLost: [...leasesLost],
    replayed,
    openReplays: [...openReplays],
    planningRuns: [...planningRuns],
    planningApplies,
  };
}
