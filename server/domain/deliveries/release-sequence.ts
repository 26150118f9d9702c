import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { passOver } from "@/server/domain/inbox/pass-over";
import { runAct } from "./run-act";
import type { ActCall } from "./types";

/** Lets the later events of the appointment go on without the stopped one. It stays stopped, and can have no effect any more in this consumer. */
export function releaseSequence(deps: CommandDeps, call: ActCall, reason: string): Promise<CommandAnswer> {
  return runAct(deps, call, "releaseSequence", async (tx, row) => {
    await passOver(tx, row);
    await tx.sql`update delivery_tasks set version = version + 1 where row_id = ${row.id}`;
    return { act: "SEQUENCE_RELEASED", text: reason };
  });
}
