import type { Tx } from "@/db/client";
import { toIso } from "@/server/clock";
import { runCommand } from "@/server/domain/idempotency/run-command";
import type { Answer, CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { actionRight, type DeliveryAction } from "@/server/domain/inbox/next-actions";
import { readActionRow } from "./action-row";
import { type LockedRow, lockRow } from "./lock-row";
import { type ActCall, operationOf } from "./types";
import { type Note, writeNote } from "./write-note";

/**
 * The way of every act on a delivery: one transaction takes the key, locks the row, asks the rule, does the work, writes the note, audits, and stores
 * the answer. A second call under the key gets the stored answer; a refusal is an answer and an audit entry as well.
 */
export function runAct(
  deps: CommandDeps,
  call: ActCall,
  action: DeliveryAction,
  work: (tx: Tx, row: LockedRow) => Promise<Note>,
): Promise<CommandAnswer> {
  const [kind, id] = call.row.id.split(".") as [string, string];
  const command = {
    actor: call.actor,
    clinicId: call.clinicId,
    key: call.key,
    requestId: call.requestId,
    fingerprint: {
      method: call.method,
      operation: operationOf(action),
      pathParams: { row: call.row.id },
      ifMatch: `${call.row.version}.${call.row.taskVersion}`,
      body: call.body,
    },
    subject: { type: kind, id },
  };
  return runCommand(deps, command, (tx) => act(tx, call, action, work));
}

async function act(tx: Tx, call: ActCall, action: DeliveryAction, work: (tx: Tx, row: LockedRow) => Promise<Note>): Promise<Answer> {
  const row = await lockRow(tx, call, action);
  const note = await work(tx, row);
  await writeNote(tx, call, row, note);
  const after = await readActionRow(tx, row.kind, row.id);
  if (!after) throw new Error("the row that was acted on is gone");
  return {
    status: 200,
    body: {
      id: call.row.id,
      action,
      state: after.state,
      status: after.status,
      version: after.version,
      taskVersion: after.taskVersion,
      assigneeRef: after.assigneeRef,
      nextAttemptAt: after.nextAttemptAt && toIso(after.nextAttemptAt),
      followers: row.followers,
    },
    audit: {
      act: operationOf(action),
      role: actionRight[action],
      ...(note.text ? { reason: note.text } : {}),
      subjectType: row.kind,
      subjectId: row.id,
      details: { rowVersion: row.version, ...(note.toRef ? { to: note.toRef } : {}) },
    },
  };
}
