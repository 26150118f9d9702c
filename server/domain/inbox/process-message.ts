import { contentDigest } from "@/server/domain/event-log/content-digest";
import { type PublishedEvent, readEnvelope } from "@/server/domain/event-log/envelope";
import type { LogRecord } from "@/server/domain/event-log/port";
import { testPoint } from "@/server/test-points";
import { ClaimLost } from "./apply-effects";
import { type AttemptEnd, attemptRow } from "./attempt-row";
import { claimRow, type DueRow } from "./claim-row";
import { giveBackReplayed } from "./give-back-replayed";
import { giveBackRows, settleFailedRow } from "./settle-failed-row";
import type { ClaimedRow, InboxRuntime, LogicalConsumer } from "./types";
import { type Control, Stopped, withPatience } from "./with-patience";

export type MessageEnd = AttemptEnd | "BLOCKED" | "NOT_DUE";

/**
 * The same logical work once more: claims the row, checks that the record read again is the one that was recorded (event id, scope, digest),
 * and makes an attempt exactly as a new delivery does. Throws Stopped when it was told to end first; then the claim was given back.
 */
export async function processMessage(
  runtime: InboxRuntime,
  consumer: LogicalConsumer,
  identity: DueRow,
  record: LogRecord | "EXPIRED" | "OTHER_LOG",
  control: Control,
): Promise<MessageEnd> {
  const claim = await withPatience(runtime, control, () => claimRow(runtime, consumer, identity));
  if (claim.end !== "CLAIMED") return claim.end;
  await testPoint("retry.afterClaim", identity);
  const { partition, offset, inboxId } = identity;
  const { fence, attempt, attemptsMax } = claim;
  const verified = verify(runtime, identity, record);
  const event = typeof verified === "string" ? undefined : verified;
  const row: ClaimedRow = { inboxId, fence, attempt, attemptsMax, partition, offset, event: event ?? unreadEvent(identity) };
  try {
    if (typeof verified === "string")
      return await withPatience(runtime, control, () => settleFailedRow(runtime, row, { kind: "quarantine", reason: verified }, 0));
    return await attemptRow(runtime, consumer, row, control);
  } catch (error) {
    if (error instanceof ClaimLost) return "FENCED"; // a claim that was on disk: the row itself was removed
    if (error instanceof Stopped) {
      const isOfReplay = runtime.replay !== undefined || claim.before?.isOfReplay;
      await (isOfReplay ? giveBackReplayed(runtime, row, claim.before) : giveBackRows(runtime, [row])).catch(() => {});
    }
    throw error;
  }
}

/** The event of the record, or the quarantine reason. Never a neighbour's record, never "nothing to do". */
function verify(runtime: InboxRuntime, identity: DueRow, record: LogRecord | "EXPIRED" | "OTHER_LOG"): PublishedEvent | string {
  if (typeof record === "string") return record;
  const read = readEnvelope(record);
  const envelope = read.ok ? read.event : read.envelope;
  const isSame =
    envelope?.eventId === identity.eventId &&
    envelope.tenantGroupId === identity.tenantGroupId &&
    envelope.clinicId === identity.clinicId &&
    contentDigest(runtime.ring, record, identity.digestKeyId).digest === identity.contentDigest;
  if (!isSame) return "MISMATCH";
  return read.ok ? read.event : read.reason;
}

/** A row that is settled without its event needs only its scope. */
const unreadEvent = ({ eventId, tenantGroupId, clinicId, aggregateId, aggregateSeq }: DueRow) =>
  ({ eventId, tenantGroupId, clinicId, aggregateId, aggregateSeq }) as PublishedEvent;
