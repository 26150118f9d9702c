import { runCommand } from "@/server/domain/idempotency/run-command";
import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { type ChangeCall, toCommand } from "./command-call";
import { assertAllowed, assertReason, lockVisit } from "./lock-visit";
import type { CancelAppointment } from "./types";
import { writeChange } from "./write-change";

/** Cancels a visit for a reason and gives its place back. Nothing is deleted: its history stays, and the place can be booked by anyone at once. */
export function cancelAppointment(deps: CommandDeps, call: ChangeCall, input: CancelAppointment): Promise<CommandAnswer> {
  return runCommand(deps, toCommand("cancelAppointment", call), async (tx, { commandId }) => {
    const visit = await lockVisit(tx, call);
    const to = assertAllowed(visit, "cancel", call);
    assertReason("cancel", input.reasonCode);
    return writeChange(tx, call, visit, commandId, { change: "CANCELLED", to, reasonCode: input.reasonCode, note: input.note });
  });
}
