import { inboxStates } from "@/db/schema/inbox";
import { assertNever } from "@/server/app-error";
import { backoffMs } from "@/server/domain/leases/backoff";
import type { Outcome } from "./types";

export { inboxStates };
export type InboxState = (typeof inboxStates)[number];
export type DeliveryOutcome = "PROCESSED" | "DUPLICATE" | "RETRYABLE" | "QUARANTINED" | "FENCED";

/** README.md draws it. QUARANTINED → PROCESSING only by an approved replay. PROCESSED is the end: its effect cannot be taken back. */
export const inboxMoves: Record<InboxState, readonly InboxState[]> = {
  PROCESSING: ["PROCESSED", "RETRYABLE", "QUARANTINED", "PROCESSING"],
  RETRYABLE: ["PROCESSING", "RETRYABLE", "QUARANTINED"],
  QUARANTINED: ["PROCESSING"],
  PROCESSED: [],
};

/** Reasons that the runtime itself gives; handlers add their own. */
export const runtimeReasons = {
  BLOCKED_BY: "an earlier event of the same appointment is not finished",
  UNBLOCKED: "the earlier event is settled: due now",
  RELEASED: "given back by a worker that stopped; no attempt was used",
  GAP: "the event before it has not been applied",
  SEQUENCE_REGRESSION: "a later event of the appointment was applied before: nothing to do",
  HANDLER_FAILED: "the consumer's work failed in a way nobody planned",
  DATABASE_BUSY: "locks or time-outs stood in the way of this event again and again",
  LEASE_EXPIRED: "the worker that held it did not finish in time",
  LIVE_LEASE: "another worker was at it when it was delivered again",
  ATTEMPTS_EXHAUSTED: "all attempts are used",
  IDENTITY_CONFLICT: "another content came under the same event id",
  EXPIRED: "the log does not hold the record any more",
  MISMATCH: "the log holds another record at the recorded position",
  OTHER_LOG: "the record lies in a log that is not read any more",
  UNSUPPORTED_SCHEMA: "this release does not know the event's type or version",
  INVALID_PAYLOAD: "the payload breaks its contract",
  PARTITION_KEY_MISMATCH: "the record's key is not that of its scope",
} as const;
export type RuntimeReason = keyof typeof runtimeReasons;

/** What a delivery finds when its row exists already. */
export type Meeting = "CONFLICT" | "DUPLICATE" | "HELD" | "WAITING" | "QUARANTINED";

/** Identity is (consumer, event): the same content at another offset is a copy, any other content under that identity is not. */
export function meetDelivery(state: InboxState, isSameContent: boolean): Meeting {
  if (!isSameContent) return "CONFLICT";
  switch (state) {
    case "PROCESSED":
      return "DUPLICATE";
    case "PROCESSING":
      return "HELD"; // by a live lease, or by a dead worker: the scheduler decides which
    case "RETRYABLE":
      return "WAITING"; // never a second claim before its next attempt is due
    case "QUARANTINED":
      return "QUARANTINED";
    default:
      return assertNever(state);
  }
}

export type Settlement =
  | { state: "RETRYABLE"; reason: string; waitMs: number; at: string | null }
  | { state: "QUARANTINED"; reason: string };

/** Where an attempt that did not succeed leaves its row. The last attempt ends in quarantine, whatever the handler wished. */
export function settleFailed(
  row: { attempt: number; attemptsMax: number },
  outcome: Extract<Outcome, { kind: "retryLater" | "quarantine" }>,
  random: () => number,
): Settlement {
  if (outcome.kind === "quarantine") return { state: "QUARANTINED", reason: outcome.reason };
  if (row.attempt >= row.attemptsMax) return { state: "QUARANTINED", reason: outcome.reason === "GAP" ? "GAP" : "ATTEMPTS_EXHAUSTED" };
  return { state: "RETRYABLE", reason: outcome.reason, waitMs: backoffMs(row.attempt, random), at: outcome.at ?? null };
}

export type OrderCheck = "NEXT" | "REGRESSION" | "GAP";

/** `lastApplied` null: nothing of this aggregate was applied yet, so its first event is 1. */
export function checkOrder(seq: bigint, lastApplied: bigint | null): OrderCheck {
  const next = (lastApplied ?? 0n) + 1n;
  if (seq < next) return "REGRESSION";
  return seq === next ? "NEXT" : "GAP";
}
