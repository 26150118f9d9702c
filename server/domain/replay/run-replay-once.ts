import { setTimeout as sleepFor } from "node:timers/promises";
import { type Tx, withTx } from "@/db/client";
import { type EventLog, LogError, type LogRecord } from "@/server/domain/event-log/port";
import { processMessage } from "@/server/domain/inbox/process-message";
import { readAgain } from "@/server/domain/inbox/read-again";
import type { InboxRuntime, LogicalConsumer, ReplayClaims } from "@/server/domain/inbox/types";
import { type Control, Stopped } from "@/server/domain/inbox/with-patience";
import { groupBy } from "@/server/group-by";
import { testPoint } from "@/server/test-points";
import { approversHoldRole } from "./as-replay-operator";
import { type ClaimedJob, claimJob } from "./claim-job";
import { expireOnce } from "./expire-once";
import { finishJob, putDown } from "./finish-job";
import { outsideLog } from "./missing-offsets";
import { noteGivenBack, type Plan, type PlannedItem, planChunk, settleItems } from "./plan-chunk";
import { paceMs, type StopReason, stopReasonOf } from "./states";
import type { ReplayCounts, ReplayState } from "./types";

export type ReplayRun = {
  /** Jobs that this call took up: 0 or 1. */
  claimed: number;
  /** How it was left; FENCED: it is another runner's by now. */
  state: ReplayState | "FENCED" | null;
  ran: number;
  expired: number;
  outage?: string;
};
type ReplayLog = Pick<EventLog, "readAt" | "groupOffsets" | "watermarks">;
export type RunOptions = {
  leaseMs?: number;
  readDeadlineMs?: number;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** For a measurement of what is possible: no wait between two items. */
  isRateLifted?: boolean;
};

const sleepUnlessStopped = (ms: number, signal: AbortSignal) => sleepFor(ms, undefined, { signal }).catch(() => {});

/**
 * Takes one approved job and works it off, through the same processMessage as the retry scheduler and under the original consumer's identity: canary
 * first, at its rate, within its time, until it is done, stopped, paused or cancelled. Reads the log by readAt, in no operating group. What it did is in the
 * records after each item, so that a runner that dies is followed by another one at the same place.
 */
export async function runReplayOnce(
  runtime: InboxRuntime,
  eventLog: ReplayLog,
  consumers: readonly LogicalConsumer[],
  control: Control,
  options: RunOptions = {},
): Promise<ReplayRun> {
  const { leaseMs = 30_000 } = options;
  const expired = await expireOnce(runtime);
  const job = await claimJob(runtime, consumers, leaseMs);
  if (job === null || job === "ENDED") return { claimed: job === null ? 0 : 1, state: null, ran: 0, expired };
  await testPoint("replay.afterClaim", job);
  const consumer = consumers.find(({ id }) => id === job.consumer) as LogicalConsumer;
  const run = new JobRun({ ...runtime, replay: claimsOf(job) }, eventLog, consumer, job, control, {
    leaseMs,
    readDeadlineMs: options.readDeadlineMs ?? 10_000,
    sleep: options.sleep ?? sleepUnlessStopped,
    isRateLifted: options.isRateLifted ?? false,
  });
  try {
    const state = await run.toItsEnd();
    return { claimed: 1, state, ran: run.ran, expired };
  } catch (error) {
    if (!(error instanceof LogError) && !(error instanceof Stopped)) throw error;
    await putDown(runtime, job, "QUEUED", run.activeMs).catch(() => {}); // else its lease ends
    return { claimed: 1, state: "QUEUED", ran: run.ran, expired, ...(error instanceof LogError ? { outage: error.code } : {}) };
  }
}

const claimsOf = (job: ClaimedJob): ReplayClaims => ({
  requestId: job.requestId,
  mayClaim: (tx) => mayClaim(tx, job),
  gaveBack: (tx, inboxId, version) => noteGivenBack(tx, job.requestId, inboxId, version),
});

/** In the transaction of each claim of a row: still ours, still wanted, and everybody who approved may still do so. */
async function mayClaim(tx: Tx, { requestId, fence }: ClaimedJob): Promise<boolean> {
  const rows = await tx.sql`
    select 1
    from replay_requests r
    where r.request_id = ${requestId} and r.fence = ${fence} and r.state = 'RUNNING' and r.wanted = 'RUN' and ${approversHoldRole(tx)}`;
  return rows.length > 0;
}

/** One job under way. */
class JobRun {
  ran = 0;
  private readonly startedMs: number;
  private lookedMs = 0;

  constructor(
    /** As the job runs it, and without the replay: for what a dead runner began and nobody may begin any more. */
    private readonly runtime: InboxRuntime & { replay: ReplayClaims },
    private readonly eventLog: ReplayLog,
    private readonly consumer: LogicalConsumer,
    private readonly job: ClaimedJob,
    private readonly control: Control,
    private readonly options: Required<RunOptions>,
  ) {
    this.startedMs = runtime.clock.monotonicMs();
  }

  get activeMs(): number {
    return this.job.activeMs + this.runtime.clock.monotonicMs() - this.startedMs;
  }

  async toItsEnd(): Promise<ReplayState | "FENCED"> {
    await this.keepOffsetsBefore();
    for (;;) {
      if (this.control.signal.aborted) throw new Stopped("stopped between two looks");
      await this.control.heartbeat();
      const plan = await this.look();
      if (plan.end === "FENCED") return "FENCED";
      const { items, waiting, settled } = plan;
      if (items.length + waiting === 0) {
        if (settled > 0) continue; // a look sees a part of a long manifest
        return this.finish(null);
      }
      const stop = this.stopOf(plan);
      const isHalted = stop !== null || plan.wanted === "PAUSE";
      const begun = items.filter(({ step }) => step === "TAKE_OVER");
      if (isHalted && begun.length + waiting === 0) return stop ? this.finish(stop) : this.pause();
      const before = this.ran;
      // what a dead runner began must end before the job can be put down
      await (isHalted
        ? this.runItems(begun, plan.counts, { ...this.runtime, replay: undefined })
        : this.runItems(items, plan.counts, this.runtime));
      if (this.ran === before && settled === 0) await this.options.sleep(250, this.control.signal);
    }
  }

  private look(): Promise<Plan> {
    this.lookedMs = this.runtime.clock.monotonicMs();
    return planChunk(this.runtime, this.consumer, this.job, { ...this.options, activeMs: this.activeMs });
  }

  private stopOf({ wanted, holdsRole, counts }: Extract<Plan, { end: "PLANNED" }>): StopReason | null {
    if (wanted === "CANCEL") return "CANCELLED";
    if (!holdsRole) return "ROLE_REMOVED";
    return stopReasonOf(counts, this.job.bounds, this.job.records, this.activeMs);
  }

  /** Partition by partition, in order. Ends early when the next look would decide otherwise, or is due. */
  private async runItems(items: PlannedItem[], planned: ReplayCounts, runtime: InboxRuntime): Promise<void> {
    const counts = { ...planned };
    for (const group of groupBy(items, ({ row }) => `${row.topic}/${row.partition}`).values()) {
      const rows = group.map(({ row }) => row);
      const records = await readAgain(this.runtime, this.eventLog, rows, this.options.readDeadlineMs);
      await this.settleMissing(group, records);
      for (const item of group) {
        const record = item.row.logId === runtime.logId ? records.get(item.row.offset) : ("OTHER_LOG" as const);
        if (record === undefined || (record === "EXPIRED" && item.step === "RUN")) continue; // settled as missing
        if (this.control.signal.aborted || this.isLookDue()) return;
        if (stopReasonOf(counts, this.job.bounds, this.job.records, this.activeMs)) return;
        await this.keepPace();
        const end = await processMessage(runtime, this.consumer, item.row, record, this.control);
        await testPoint("replay.afterItem", item);
        if (end === "NOT_DUE" || end === "BLOCKED") return; // changed, held back or behind another: the next look says which
        this.ran += 1;
        if (end === "RETRYABLE" || end === "QUARANTINED") counts[end] += 1;
        else if (end !== "FENCED") counts.PROCESSED += 1;
      }
    }
  }

  /** The lease is renewed by a look. */
  private isLookDue = () => this.runtime.clock.monotonicMs() - this.lookedMs > this.options.leaseMs / 3;

  private async keepPace(): Promise<void> {
    if (this.options.isRateLifted) return;
    const waitMs = paceMs(this.ran, this.runtime.clock.monotonicMs() - this.startedMs, this.job.bounds.ratePerSecond);
    if (waitMs > 0) await this.options.sleep(waitMs, this.control.signal);
  }

  /** A record that the log does not hold is no attempt: its row stays as it is, and the offset is listed. */
  private async settleMissing(group: PlannedItem[], records: Map<string, LogRecord | "EXPIRED">): Promise<void> {
    const gone = group.filter(({ row, step }) => step === "RUN" && records.get(row.offset) === "EXPIRED");
    if (gone.length === 0) return;
    const { requestId, fence, tenantGroupId } = this.job;
    const ends = gone.map(({ position }) => ({ position, outcome: "SKIPPED" as const, reasonCode: "OFFSET_MISSING" }));
    await withTx(this.runtime.db, { worker: this.runtime.worker, tenantGroupId }, async (tx) => {
      const held = await tx.sql`
        select 1 from replay_requests where request_id = ${requestId} and fence = ${fence} and state = 'RUNNING' for no key update`;
      if (held.length > 0) await settleItems(tx, requestId, ends);
    });
    this.ran += gone.length;
  }

  private async keepOffsetsBefore(): Promise<void> {
    if (this.job.offsetsBefore !== null) return;
    const offsets = await this.eventLog.groupOffsets(this.job.consumer, this.job.topic);
    const { requestId, fence, tenantGroupId } = this.job;
    await withTx(
      this.runtime.db,
      { worker: this.runtime.worker, tenantGroupId },
      (tx) => tx.sql`
        update replay_requests set offsets_before = ${JSON.stringify(offsets)}::jsonb where request_id = ${requestId} and fence = ${fence} and state = 'RUNNING'`,
    );
  }

  private async pause(): Promise<ReplayState | "FENCED"> {
    return (await putDown(this.runtime, this.job, "PAUSED", this.activeMs)) ? "PAUSED" : "FENCED";
  }

  private async finish(stop: StopReason | null): Promise<ReplayState | "FENCED"> {
    const { selection, consumer, topic } = this.job;
    const missingAsked = selection.kind === "range" ? outsideLog(selection.ranges, await this.eventLog.watermarks(topic)) : [];
    const offsetsAfter = await this.eventLog.groupOffsets(consumer, topic);
    return finishJob(this.runtime, this.job, { stop, offsetsAfter, missingAsked, activeMs: this.activeMs });
  }
}
