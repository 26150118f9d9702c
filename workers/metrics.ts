import { Counter, Gauge, Histogram } from "prom-client";
import { type Db, withRead } from "@/db/client";
import { type AuditBacklog, auditBacklog } from "@/server/domain/audit/audit-backlog";
import type { EventLog } from "@/server/domain/event-log/port";
import { inboxBacklog, recentRejections } from "@/server/domain/inbox/inbox-backlog";
import type { InboxCounts } from "@/server/domain/inbox/process-batch";
import type { LogicalConsumer } from "@/server/domain/inbox/types";
import { notificationBacklog } from "@/server/domain/notifications/notification-backlog";
import { type MetricFacts, metricFacts } from "@/server/domain/operations/metric-facts";
import { type VacuumFacts, vacuumFacts } from "@/server/domain/operations/vacuum-facts";
import { outboxBacklog } from "@/server/domain/outbox/outbox-backlog";
import type { RelayResult } from "@/server/domain/outbox/relay-once";
import { metric } from "@/server/metrics";
import type { WorkerStatus } from "./worker-status";

const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
  metric(name, (registry) => new Counter({ name, help, labelNames, registers: [registry] }));
const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
  metric(name, (registry) => new Gauge({ name, help, labelNames, registers: [registry] }));

/** What one run of the relay did. */
export function countRelay(result: RelayResult): void {
  const entries = counter("aops_outbox_relayed_total", "Outbox entries by what became of their claim", ["outcome"]);
  for (const outcome of ["published", "fenced", "released", "retried", "failed"] as const) entries.inc({ outcome }, result[outcome]);
  if (result.outage)
    counter("aops_relay_outages_total", "Relay runs that ended because the log was away", ["code"]).inc({ code: result.outage });
}

/** Rows that left the outbox after their retention. */
export function countOutboxLeft(rows: number): void {
  counter("aops_outbox_left_total", "Published rows that left the outbox after their retention", []).inc(rows);
}

/** What one batch of a consumer, or one run of the scheduler, did. */
export function countInbox(consumer: string, counts: InboxCounts, tookMs: number): void {
  const deliveries = counter("aops_inbox_deliveries_total", "Deliveries and attempts by consumer and outcome", ["consumer", "outcome"]);
  const { received: _, ...outcomes } = counts;
  for (const [outcome, count] of Object.entries(outcomes)) deliveries.inc({ consumer, outcome }, count);
  const attempts = counter("aops_inbox_attempts_total", "Attempts of handlers, whatever became of them", ["consumer"]);
  const { processed, noEffect, retryable, quarantined, fenced } = counts;
  attempts.inc({ consumer }, processed + noEffect + retryable + quarantined + fenced);
  batchSeconds().observe({ consumer }, tookMs / 1_000);
}

const batchSeconds = () => {
  const name = "aops_inbox_batch_seconds";
  const help = "Duration of one batch, claim to commit";
  const buckets = [0.005, 0.02, 0.05, 0.1, 0.5, 2, 10];
  return metric(name, (registry) => new Histogram({ name, help, labelNames: ["consumer"], buckets, registers: [registry] }));
};

/** Records that did not follow what was read before; 0 from the start, so that the first one is an increase. */
export function countOffsetJumps(consumer: string, jumps: number): void {
  counter("aops_log_offset_jumps_total", "Records that did not follow what was read before", ["consumer"]).inc({ consumer }, jumps);
}

/** What one pass of the dispatcher did. */
export function countDispatch(counts: Record<string, number>): void {
  const messages = counter("aops_notifications_total", "Notification intents by what became of their claim", ["outcome"]);
  for (const [outcome, count] of Object.entries(counts)) messages.inc({ outcome }, count);
}

/** How a replay job was left, and how many rows it ran. */
export function countReplay(state: string, ran: number): void {
  counter("aops_replay_jobs_total", "Replay jobs by how a runner left them", ["state"]).inc({ state });
  counter("aops_replay_items_total", "Rows of the inbox that replays have run", []).inc(ran);
}

/** How a calculation was left, and how long it was solved. */
export function countSolve(state: string, solveMs: number | null): void {
  counter("aops_planning_calculations_total", "Calculations of plans by how a solver left them", ["state"]).inc({ state });
  if (solveMs !== null) solveSeconds().observe(solveMs / 1_000);
}

const solveSeconds = () => {
  const name = "aops_planning_solve_seconds";
  const help = "Duration of one solve, snapshot and writing left out";
  const buckets = [0.1, 0.5, 1, 2, 5, 10, 20, 30, 60];
  return metric(name, (registry) => new Histogram({ name, help, buckets, registers: [registry] }));
};

/** How an apply by the planning worker ended. */
export function countApplyAgain(outcome: string): void {
  counter("aops_planning_applies_again_total", "Applies that the planning worker tried again, by outcome", ["outcome"]).inc({ outcome });
}

/** What one pass of the audit sealer did. */
export function countAudit({ sealed, lostRaces }: { sealed: number; lostRaces: number }): void {
  counter("aops_audit_sealed_total", "Audit entries that were given their place in a chain", []).inc(sealed);
  counter("aops_audit_seal_races_total", "Batches of seals that another sealer had written before", []).inc(lostRaces);
}

/** Gauges that are asked for when somebody reads the page: backlogs, lag, progress. A part that cannot be asked is left out and counted. */
export async function gatherGauges(
  db: Db,
  eventLog: EventLog,
  consumers: readonly LogicalConsumer[],
  statuses: WorkerStatus[],
): Promise<void> {
  for (const status of statuses) {
    gauge("aops_worker_silent_seconds", "Time since a worker's last progress", ["role"]).set(
      { role: status.role },
      status.silentMs / 1_000,
    );
    gauge("aops_worker_ready", "1: running and making progress", ["role"]).set({ role: status.role }, status.isReady ? 1 : 0);
  }
  const failures = counter("aops_gauges_failed_total", "Parts of the metrics page that could not be asked", ["part"]);
  await gatherBacklog(db).catch(() => failures.inc({ part: "database" }));
  await gatherLag(eventLog, consumers).catch(() => failures.inc({ part: "log" }));
}

async function gatherBacklog(db: Db): Promise<void> {
  const read = withRead(
    db,
    { worker: "metrics" },
    async (tx) => ({
      outbox: await outboxBacklog(tx),
      inbox: await inboxBacklog(tx),
      rejections: await recentRejections(tx),
      notifications: await notificationBacklog(tx),
      audit: await auditBacklog(tx),
      facts: await metricFacts(tx),
      vacuum: await vacuumFacts(tx),
    }),
    { deadlineMs: 3_000 },
  );
  const { outbox, inbox, rejections, notifications, audit, facts, vacuum } = await read;
  setAudit(audit);
  setFacts(facts);
  setVacuum(vacuum);
  const entries = gauge("aops_outbox_entries", "Unpublished outbox entries", ["state"]);
  for (const state of ["PENDING", "CLAIMED", "FAILED"]) entries.set({ state }, outbox.byState[state] ?? 0);
  gauge("aops_outbox_oldest_seconds", "Age of the oldest entry that waits for the relay").set(outbox.oldestSeconds);
  const rows = gauge("aops_inbox_rows", "Unfinished inbox rows", ["consumer", "state", "blocked"]);
  const oldest = gauge("aops_inbox_oldest_seconds", "Age of the oldest unfinished inbox row", ["consumer", "state", "blocked"]);
  rows.reset();
  oldest.reset();
  for (const { consumer, state, isBlocked, rows: count, oldestSeconds } of inbox) {
    rows.set({ consumer, state, blocked: String(isBlocked) }, count);
    oldest.set({ consumer, state, blocked: String(isBlocked) }, oldestSeconds);
  }
  const rejected = gauge("aops_inbox_rejected_day", "Records of the last day that could have no row", ["reason"]);
  rejected.reset();
  for (const { reason, records } of rejections) rejected.set({ reason }, records);
  const intents = gauge("aops_notification_intents", "Unsettled notification intents", ["state"]);
  const waits = gauge("aops_notification_oldest_seconds", "Age of the oldest unsettled notification intent", ["state"]);
  intents.reset();
  waits.reset();
  for (const { state, count, oldestSeconds } of notifications) {
    intents.set({ state }, count);
    waits.set({ state }, oldestSeconds);
  }
}

function setAudit({ unsealed, oldestSeconds, brokenChains }: AuditBacklog): void {
  gauge("aops_audit_unsealed_entries", "Audit entries that have no place in their chain yet").set(unsealed);
  gauge("aops_audit_unsealed_oldest_seconds", "Age of the oldest of them").set(oldestSeconds);
  gauge("aops_audit_broken_chains", "Chains whose last check found a fault").set(brokenChains);
}

function setVacuum({ deadRows, xminAge, oldestTransactionSeconds }: VacuumFacts): void {
  const dead = gauge("aops_table_dead_rows", "Dead rows of a queue table that no vacuum has removed yet", ["table"]);
  for (const { table, rows } of deadRows) dead.set({ table }, rows);
  const age = gauge("aops_database_xmin_age_transactions", "Transactions since the oldest one whose snapshot keeps dead rows");
  const seconds = gauge("aops_database_oldest_transaction_seconds", "Time since that transaction began");
  // what may not be seen is no number, least of all 0
  age.set(xminAge ?? Number.NaN);
  seconds.set(oldestTransactionSeconds ?? Number.NaN);
}

function setFacts({ heartbeats, leasesLost, replayed, openReplays, planningRuns, planningApplies }: MetricFacts): void {
  const processes = gauge("aops_worker_processes", "Processes of a role that beat, by the database", ["role"]);
  const ages = gauge("aops_worker_heartbeat_age_seconds", "Time since the last heartbeat of a role, by the database", ["role"]);
  ages.reset();
  for (const { role, processes: count, ageSeconds } of heartbeats) {
    processes.set({ role }, count);
    if (ageSeconds !== null) ages.set({ role }, ageSeconds);
  }
  const lost = gauge("aops_inbox_leases_lost_hour", "Attempts of the last hour whose worker did not finish in time", ["consumer"]);
  lost.reset();
  for (const { consumer, attempts } of leasesLost) lost.set({ consumer }, attempts);
  const items = gauge("aops_replay_items_day", "Items of the replays that ended in the last day, by outcome", ["outcome"]);
  for (const [outcome, count] of Object.entries(replayed)) items.set({ outcome }, count);
  const open = gauge("aops_replay_open_requests", "Replays that are not ended", ["state"]);
  const waits = gauge("aops_replay_open_oldest_seconds", "Time since the approval of the oldest of them", ["state"]);
  open.reset();
  waits.reset();
  for (const { state, requests, oldestSeconds } of openReplays) {
    open.set({ state }, requests);
    waits.set({ state }, oldestSeconds);
  }
  setPlanning(planningRuns, planningApplies);
}

function setPlanning(runs: MetricFacts["planningRuns"], applies: MetricFacts["planningApplies"]): void {
  const open = gauge("aops_planning_runs", "Plans that have not ended, by state", ["state"]);
  const oldest = gauge("aops_planning_oldest_seconds", "Time since the oldest of them was asked for", ["state"]);
  open.reset();
  oldest.reset();
  for (const { state, runs: count, oldestSeconds } of runs) {
    open.set({ state }, count);
    oldest.set({ state }, oldestSeconds);
  }
  const ended = gauge("aops_planning_applies_hour", "Applies of the last hour by outcome", ["outcome"]);
  for (const outcome of ["applied", "stale_rejected", "retryable"] as const) ended.set({ outcome }, applies[outcome]);
  gauge("aops_planning_apply_runs_hour", "Transactions that these applies took: more than applies when the database asks for new ones").set(
    applies.runs,
  );
}

/** Records that a group has still to read. */
async function gatherLag(eventLog: EventLog, consumers: readonly LogicalConsumer[]): Promise<void> {
  const lag = gauge("aops_consumer_lag", "Records between a group's offsets and the end of the log", ["consumer", "topic"]);
  for (const { id, topics } of consumers) {
    for (const topic of topics) {
      const [marks, offsets] = await Promise.all([eventLog.watermarks(topic), eventLog.groupOffsets(id, topic)]);
      const at = new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]));
      const behind = marks.reduce((sum, { partition, low, high }) => sum + Number(BigInt(high) - (at.get(partition) ?? BigInt(low))), 0);
      lag.set({ consumer: id, topic }, behind);
    }
  }
}
