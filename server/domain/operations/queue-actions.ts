import { toInstant } from "@/server/clock";
import { type ActionRow, type DeliveryAction, mainAction, nextActions } from "@/server/domain/inbox/next-actions";
import type { InboxState } from "@/server/domain/inbox/states";
import type { Actor } from "@/server/domain/scope/actor";
import type { QueuePage, QueueRow } from "./types";

/** What a row of the queue offers to its reader: the one button, and whether it can be part of a bulk act. */
export type Offered = { main: DeliveryAction | null; isMine: boolean; canAssign: boolean; canKeep: boolean };
export type OfferedRow = QueueRow & Offered;
export type OfferedPage = Omit<QueuePage, "rows"> & { rows: OfferedRow[] };

/** The page with what each row offers now, by the rule that guards the commands. */
export function withOffers(page: QueuePage, actor: Actor & { userId: string }, clinicIdOf: (ref: string) => string): OfferedPage {
  const now = toInstant(page.asOf);
  const rows = page.rows.map((row): OfferedRow => {
    const actionRow = toActionRow(row, clinicIdOf(row.clinicRef));
    const actions = nextActions(actionRow, actor, now);
    return {
      ...row,
      main: mainAction(actionRow, actions),
      isMine: row.assigneeId === actor.userId,
      canAssign: actions.assign.allowed,
      canKeep: actions.keepQuarantined.allowed,
    };
  });
  return { ...page, rows };
}

function toActionRow(row: QueueRow, clinicId: string): ActionRow {
  const lease = row.leaseOwner && row.leaseUntil ? { owner: row.leaseOwner, until: toInstant(row.leaseUntil) } : null;
  const isStopped = row.group === "DECISION" || row.kept !== null;
  const task = isStopped ? { status: row.kept ? ("KEPT" as const) : ("OPEN" as const), assigneeId: row.assigneeId } : null;
  switch (row.kind) {
    case "outbox":
      return { kind: "outbox", clinicId, lease, task, state: "FAILED" };
    case "inbox":
      return {
        kind: "inbox",
        clinicId,
        lease,
        task,
        state: (row.state === "BLOCKED_BY" ? "RETRYABLE" : row.state) as InboxState,
        nextAttemptAt: row.nextAttemptAt ? toInstant(row.nextAttemptAt) : null,
        blockedBy: row.blockedBy,
        followers: 0, // no row of the queue offers to release: its panel does, where the rows behind it are counted
        replayRequestId: row.replayRequestId,
      };
    default:
      return { kind: row.kind, clinicId, lease: null, task: null, state: "DUPLICATE" };
  }
}
