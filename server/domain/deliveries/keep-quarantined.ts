import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { runAct } from "./run-act";
import type { ActCall } from "./types";

/**
 * Decides that the row stays as it is, for a reason. It leaves the rows that need a decision until something of it changes; what waits behind it
 * goes on waiting and stays listed.
 */
export function keepQuarantined(deps: CommandDeps, call: ActCall, reason: string): Promise<CommandAnswer> {
  return runAct(deps, call, "keepQuarantined", async (tx, row) => {
    const kept = await tx.sql`
      update delivery_tasks
      set status = 'KEPT', kept_at = clock_timestamp(), kept_by_ref = ${call.actor.ref}, kept_reason = ${reason}, version = version + 1
      where row_id = ${row.id} and version = ${row.taskVersion} and status = 'OPEN'
      returning row_id`;
    if (kept.length !== 1) throw new Error("the task of a locked row was changed beside it");
    return { act: "KEPT", text: reason };
  });
}
