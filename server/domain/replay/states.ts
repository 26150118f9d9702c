import type { InboxState } from "@/server/domain/inbox/states";
import type { ReplayBounds, ReplayCounts, ReplayOutcome, ReplayState } from "./types";

/** README.md draws it. What has ended stays ended: what is left over is work for another request. */
export const replayMoves: Record<ReplayState, readonly ReplayState[]> = {
  PREVIEWED: ["QUEUED", "AWAITING_SECOND", "EXPIRED"],
  AWAITING_SECOND: ["QUEUED", "CANCELLED", "EXPIRED"],
  QUEUED: ["RUNNING", "PAUSED", "CANCELLED", "EXPIRED", "INCOMPLETE"],
  RUNNING: ["RUNNING", "QUEUED", "PAUSED", "COMPLETED", "NEEDS_ACTION", "INCOMPLETE", "CANCELLED"],
  PAUSED: ["QUEUED", "CANCELLED", "EXPIRED"],
  COMPLETED: [],
  NEEDS_ACTION: [],
  INCOMPLETE: [],
  CANCELLED: [],
  EXPIRED: [],
};
export const hasEnded = (state: ReplayState): boolean => replayMoves[state].length === 0;

/** Why a job did not reach all of its items, or why an item was not run. */
export const replayReasons = {
  CANARY_FAILED: "too much of the canary did not succeed",
  STOP_SHARE: "too much of what was tried did not succeed",
  MAX_TIME: "the job's time is used up",
  CANCELLED: "a person cancelled the rest",
  ROLE_REMOVED: "who approved may not do so any more",
  APPROVAL_EXPIRED: "no runner took it while the approval held",
  LOG_CHANGED: "the log that is read now is another one",
  MANIFEST_CHANGED: "the items are not those that were approved",
  CHANGED: "the row changed after the preview",
  NOT_DUE: "its next attempt is set for later",
  OFFSET_MISSING: "the log does not hold the record any more",
} as const;
export type ReplayReason = keyof typeof replayReasons;
export type StopReason = Extract<ReplayReason, "CANARY_FAILED" | "STOP_SHARE" | "MAX_TIME" | "CANCELLED" | "ROLE_REMOVED">;

export const noReplayCounts = (): ReplayCounts => ({
  PROCESSED: 0,
  DUPLICATE: 0,
  RETRYABLE: 0,
  QUARANTINED: 0,
  SKIPPED: 0,
  NOT_REACHED: 0,
});

/** The end of a job, from its items alone. Only PROCESSED and DUPLICATE count as done. */
export function endOf(counts: ReplayCounts, hasMissing: boolean, isCancelled: boolean): ReplayState {
  if (hasMissing) return "INCOMPLETE";
  if (counts.RETRYABLE + counts.QUARANTINED > 0) return "NEEDS_ACTION";
  if (counts.SKIPPED + counts.NOT_REACHED === 0) return "COMPLETED";
  return isCancelled ? "CANCELLED" : "INCOMPLETE";
}

/** Whether a job with items left must stop by itself. The canary is judged when all of it was tried, the rest all the time. */
export function stopReasonOf(counts: ReplayCounts, bounds: ReplayBounds, records: number, activeMs: number): StopReason | null {
  if (activeMs >= bounds.maxSeconds * 1_000) return "MAX_TIME";
  const failed = counts.RETRYABLE + counts.QUARANTINED;
  const tried = counts.PROCESSED + counts.DUPLICATE + failed;
  const canary = Math.min(bounds.canarySize, records);
  if (tried < canary || failed * 100 <= bounds.stopSharePercent * tried) return null;
  return tried === canary ? "CANARY_FAILED" : "STOP_SHARE";
}

/** How many items may be taken together now: never past the canary before it is judged, and no more than five seconds of work. */
export function chunkSize(counts: ReplayCounts, bounds: ReplayBounds, isRateLifted: boolean): number {
  const tried = counts.PROCESSED + counts.DUPLICATE + counts.RETRYABLE + counts.QUARANTINED;
  if (tried < bounds.canarySize) return bounds.canarySize - tried;
  return isRateLifted ? 100 : Math.min(50, bounds.ratePerSecond * 5);
}

/** Milliseconds to wait before the `index`-th item (0, 1, …) of a run that has taken `elapsedMs` so far. */
export const paceMs = (index: number, elapsedMs: number, ratePerSecond: number): number =>
  Math.max(0, Math.ceil((index * 1_000) / ratePerSecond - elapsedMs));

/** What is known of an item that is not settled: its row now, and the last end of an attempt under this request. */
export type ItemFacts = {
  row: { state: InboxState; isUnchanged: boolean; isDue: boolean; isLeaseOver: boolean; reasonCode: string | null } | null;
  /** This request made the row's last claim. */
  isClaimedByUs: boolean;
  /** A runner that was told to stop gave it back as it was: no attempt of it counts. */
  isGivenBack: boolean;
  ownEnd: { outcome: "PROCESSED" | "DUPLICATE" | "RETRYABLE" | "QUARANTINED"; reasonCode: string | null } | null;
  blocker: "NONE" | "OPEN_ITEM" | "OTHER_ROW";
};
export type ItemStep = { step: "RUN" | "TAKE_OVER" | "WAIT" } | { step: "SETTLE"; outcome: ReplayOutcome; reasonCode: string | null };

/**
 * What to do with an item, from records alone, so that whoever takes a crashed job over decides as the first runner would have: run it, wait for a
 * worker that holds it, or write down how it ended. An attempt whose worker died ends as the attempt did that took it over.
 */
export function stepOf({ row, isClaimedByUs, isGivenBack, ownEnd, blocker }: ItemFacts): ItemStep {
  const settle = (outcome: ReplayOutcome, reasonCode: string | null): ItemStep => ({ step: "SETTLE", outcome, reasonCode });
  if (!row) return settle("SKIPPED", "CHANGED");
  if (ownEnd && ownEnd.reasonCode !== "LEASE_EXPIRED") return settle(ownEnd.outcome, ownEnd.reasonCode);
  if (!isGivenBack && (isClaimedByUs || ownEnd)) {
    if (row.state === "PROCESSING") return { step: row.isLeaseOver ? "TAKE_OVER" : "WAIT" };
    return settle(row.state, row.reasonCode);
  }
  if (row.state === "PROCESSED") return settle("DUPLICATE", row.reasonCode);
  if (!row.isUnchanged) return settle("SKIPPED", "CHANGED");
  if (!row.isDue) return settle("SKIPPED", "NOT_DUE");
  return blocker === "OTHER_ROW" ? settle("SKIPPED", "BLOCKED_BY") : { step: "RUN" };
}

export type ControlAct = "PAUSE" | "RESUME" | "CANCEL";
export type ControlMove = { end: "NO_CHANGE" | "NOT_ALLOWED" } | { end: "MOVE"; state: ReplayState; wanted: "RUN" | "PAUSE" | "CANCEL" };

/** What a person's wish does to a job. A running one obeys at its next item; what never started ends at once. */
export function controlMove(act: ControlAct, job: { state: ReplayState; wanted: string; hasStarted: boolean }): ControlMove {
  const move = (state: ReplayState, wanted: "RUN" | "PAUSE" | "CANCEL"): ControlMove => ({ end: "MOVE", state, wanted });
  if (hasEnded(job.state)) return { end: act === "CANCEL" && job.wanted === "CANCEL" ? "NO_CHANGE" : "NOT_ALLOWED" };
  if (job.state === "PREVIEWED" || (job.state === "AWAITING_SECOND" && act !== "CANCEL")) return { end: "NOT_ALLOWED" };
  if (job.wanted === "CANCEL") return { end: act === "CANCEL" ? "NO_CHANGE" : "NOT_ALLOWED" };
  switch (act) {
    case "PAUSE":
      if (job.wanted === "PAUSE") return { end: "NO_CHANGE" };
      return job.state === "RUNNING" ? move("RUNNING", "PAUSE") : move("PAUSED", "PAUSE");
    case "RESUME":
      if (job.wanted === "RUN") return { end: "NO_CHANGE" };
      return job.state === "RUNNING" ? move("RUNNING", "RUN") : move("QUEUED", "RUN");
    case "CANCEL":
      if (!job.hasStarted) return move("CANCELLED", "CANCEL");
      return job.state === "RUNNING" ? move("RUNNING", "CANCEL") : move("QUEUED", "CANCEL");
  }
}
