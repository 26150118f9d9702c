import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { toInstant, toIso } from "@/server/clock";
import { type ActionRow, type DeliveryAction, nextActions } from "@/server/domain/inbox/next-actions";
import { readActionRow, type StoredRow, toActionRow } from "./action-row";
import { type ActCall, type RowKind, whyNotSentence } from "./types";

export type LockedRow = StoredRow & { kind: RowKind; id: string };

/**
 * Locks the row in the clinic of the call, reads it and its task as they are now, and asks the rule that also draws the buttons. Two statements: only
 * after the lock is a task read that nobody changes meanwhile.
 * Throws AppError not-found, row-stale when row or task changed since they were read, action-not-allowed with the reason (all stored but the first), and
 * right-missing.
 */
export async function lockRow(tx: Tx, call: ActCall, action: DeliveryAction): Promise<LockedRow> {
  const [kind, id] = call.row.id.split(".") as [RowKind, string];
  const inScope = tx.sql`tenant_group_id = ${call.actor.tenantGroupId} and clinic_id = ${call.clinicId}`;
  const locked =
    kind === "inbox"
      ? await tx.sql`select id from inbox where id = ${id} and ${inScope} for no key update`
      : await tx.sql`select event_id from outbox where event_id = ${id} and ${inScope} for no key update`;
  const row = locked.length === 1 ? await readActionRow(tx, kind, id) : undefined;
  if (!row) throw new AppError("not-found");
  if (row.version !== call.row.version || row.taskVersion !== call.row.taskVersion) throw stale(call, row);
  assertAllowed(toActionRow(kind, row), call, action, row);
  return { ...row, kind, id };
}

const stale = (call: ActCall, row: StoredRow) =>
  new AppError("row-stale", undefined, {
    seen: { version: call.row.version, taskVersion: call.row.taskVersion },
    now: { version: row.version, taskVersion: row.taskVersion, state: row.state, assigneeRef: row.assigneeRef },
    changedAt: toIso(row.changedAt),
  });

function assertAllowed(actionRow: ActionRow, call: ActCall, action: DeliveryAction, row: StoredRow): void {
  const decision = nextActions(actionRow, call.actor, toInstant(row.now))[action];
  if (decision.allowed) return;
  const { allowed: _, ...obstacle } = decision;
  if (decision.why === "RIGHT_MISSING")
    throw new AppError("right-missing", `This needs the right ${decision.right}.`, { right: decision.right });
  throw new AppError("action-not-allowed", whyNotSentence[decision.why], { action, state: row.state, ...obstacle });
}
