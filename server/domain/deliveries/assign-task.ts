import type { Tx } from "@/db/client";
import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import type { LockedRow } from "./lock-row";
import { runAct } from "./run-act";
import type { ActCall } from "./types";

/** The person takes the stopped row on, from nobody or from a colleague. */
export function assignTask(deps: CommandDeps, call: ActCall): Promise<CommandAnswer> {
  return runAct(deps, call, "assign", async (tx, row) => {
    await setAssignee(tx, row, { id: call.actor.userId, ref: call.actor.ref });
    return { act: "ASSIGNED" };
  });
}

/** The row's lock is held, so the task is the one that was read. */
export async function setAssignee(tx: Tx, row: LockedRow, to: { id: string; ref: string }): Promise<void> {
  const updated = await tx.sql`
    update delivery_tasks
    set assignee_id = ${to.id}, assignee_ref = ${to.ref}, version = version + 1
    where row_id = ${row.id} and version = ${row.taskVersion} and status = 'OPEN'
    returning row_id`;
  if (updated.length !== 1) throw new Error("the task of a locked row was changed beside it");
}
