import { logger } from "@/server/logger";
import { testPoint } from "@/server/test-points";
import { applyEffects, ClaimLost, NotProcessed } from "./apply-effects";
import { inConsumerSpan } from "./consumer-span";
import { SequenceMoved } from "./sequence-moved";
import { settleFailedRow } from "./settle-failed-row";
import type { ClaimedRow, InboxRuntime, LogicalConsumer, Outcome } from "./types";
import { type Control, DatabaseBusy, Stopped, withPatience } from "./with-patience";

type Failure = Extract<Outcome, { kind: "retryLater" | "quarantine" }>;
export type AttemptEnd = "PROCESSED" | "NO_EFFECT" | "RETRYABLE" | "QUARANTINED" | "FENCED";

/**
 * One attempt of one claimed row, the same for a new delivery, a retry and a replay: effect and PROCESSED together, or the failure written down.
 * `followers`: claimed later events of the same aggregate, which wait behind a failure. Throws Stopped when the consumer must end first, and ClaimLost.
 */
export function attemptRow(
  runtime: InboxRuntime,
  consumer: LogicalConsumer,
  row: ClaimedRow,
  control: Control,
  followers: ClaimedRow[] = [],
): Promise<AttemptEnd> {
  return inConsumerSpan(
    runtime,
    consumer,
    [row],
    () => attempt(runtime, consumer, row, control, followers),
    (end) => end,
  );
}

async function attempt(
  runtime: InboxRuntime,
  consumer: LogicalConsumer,
  row: ClaimedRow,
  control: Control,
  followers: ClaimedRow[],
): Promise<AttemptEnd> {
  const startedMs = runtime.clock.monotonicMs();
  const tookMs = () => runtime.clock.monotonicMs() - startedMs;
  let failure: Failure;
  try {
    const applied = await withPatience(runtime, control, () => applyInOrder(runtime, consumer, row));
    if (applied.fenced.length === 0) return applied.noEffect > 0 ? "NO_EFFECT" : "PROCESSED";
    failure = { kind: "retryLater", reason: "FENCED" }; // settles nothing: the fence is not ours any more
  } catch (error) {
    if (error instanceof Stopped || error instanceof ClaimLost) throw error;
    failure = failureOf(error, consumer, row);
  }
  await testPoint("inbox.beforeSettle", row);
  const end = await withPatience(runtime, control, () => settleFailedRow(runtime, row, failure, tookMs(), followers));
  await testPoint("inbox.afterSettle", row);
  return end;
}

async function applyInOrder(runtime: InboxRuntime, consumer: LogicalConsumer, row: ClaimedRow) {
  for (let look = 1; ; look++) {
    try {
      return await applyEffects(runtime, consumer, [row]);
    } catch (error) {
      if (!(error instanceof SequenceMoved) || look >= 3) throw error;
    }
  }
}

function failureOf(error: unknown, consumer: LogicalConsumer, row: ClaimedRow): Failure {
  if (error instanceof NotProcessed) return error.outcome;
  if (error instanceof DatabaseBusy) return { kind: "retryLater", reason: "DATABASE_BUSY" };
  // the message may hold what the handler worked on, so only its kind is logged
  logger.error({ consumer: consumer.id, inboxId: row.inboxId, attempt: row.attempt, error: kindOf(error) }, "a handler failed");
  return { kind: "retryLater", reason: "HANDLER_FAILED" };
}

function kindOf(error: unknown): string {
  const { name, code, cause } = (error ?? {}) as { name?: string; code?: string; cause?: { code?: string } };
  return [name, code ?? cause?.code].filter(Boolean).join(" ") || typeof error;
}
