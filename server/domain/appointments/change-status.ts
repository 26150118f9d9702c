import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { runCommand } from "@/server/domain/idempotency/run-command";
import type { Answer, CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { type ChangeCall, toCommand } from "./command-call";
import { takenOrRethrow } from "./find-placement";
import { assertAllowed, assertReason, type LockedVisit, lockVisit, standingOf } from "./lock-visit";
import { retakeClaims } from "./retake-claims";
import { type AppointmentAction, holdsClaims, moves } from "./states";
import type { ChangeStatus } from "./types";
import { writeChange } from "./write-change";

/**
 * Confirms, checks in, starts, completes, marks as not come, gives the time back or undoes a wrong click, along the moves of states.ts.
 * States that hold nothing give the place back; an undo takes it again and is refused (slot-taken) when somebody else has it by now.
 */
export function changeStatus(deps: CommandDeps, call: ChangeCall, input: ChangeStatus): Promise<CommandAnswer> {
  return runCommand(deps, toCommand("changeAppointmentStatus", call), (tx, { commandId }) => change(tx, call, input, commandId));
}

async function change(tx: Tx, call: ChangeCall, { to, reasonCode, note }: ChangeStatus, commandId: string): Promise<Answer> {
  const visit = await lockVisit(tx, call);
  const action = actionTo(visit, to);
  assertAllowed(visit, action, call);
  if (action === "undo" || action === "release") assertReason(action, reasonCode);
  const wanted = { change: "STATUS_CHANGED" as const, to, reasonCode, note };
  if (!holdsClaims[to] || holdsClaims[visit.status]) return writeChange(tx, call, visit, commandId, wanted);
  const { claims, facts } = await retakeClaims(tx, call.actor, visit);
  return writeChange(tx, call, visit, commandId, { ...wanted, retakes: claims }).catch((error) =>
    takenOrRethrow(error, facts, standingOf(visit)),
  );
}

function actionTo(visit: LockedVisit, to: ChangeStatus["to"]): AppointmentAction {
  const action = moves[visit.status][to];
  if (action) return action;
  const detail =
    visit.status === "PENDING_RESCHEDULE" && to === "CONFIRMED" ? "It needs a new time: reschedule it." : "Its state does not allow that.";
  throw new AppError("move-not-allowed", detail, { state: visit.status, to, why: "WRONG_STATE" });
}
