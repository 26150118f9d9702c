import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { lockPlanningScope } from "@/server/domain/clinics/set-up";
import { runCommand } from "@/server/domain/idempotency/run-command";
import type { Answer, CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import type { Role } from "@/server/domain/scope/actor";
import { type PlanningAction, planningNextActions } from "./next-actions";
import { type PlanningRun, readRun } from "./read-run";
import { askingRole, requested, visitsWithin, writeRun } from "./request-run";
import { hasEnded, type PlanningReason } from "./states";
import type { PlanningCall, PlanPart, RequestedFrom } from "./types";

type Decided = { tx: Tx; run: PlanningRun; commandId: string; role: Role };

/** The way of every decision about a run but its apply: key, planning scope, the run held, the rule that also draws the buttons, the work. */
function decide(
  deps: CommandDeps,
  call: PlanningCall,
  runId: string,
  action: PlanningAction,
  work: (decided: Decided) => Promise<Answer>,
): Promise<CommandAnswer> {
  const { actor, clinicId, key, requestId, method, body } = call;
  const role = askingRole(actor, clinicId);
  const fingerprint = { method, operation: `planning.${action}`, pathParams: { run: runId }, ifMatch: null, body };
  const subject = { type: "planning-run", id: runId };
  return runCommand(deps, { actor, clinicId, key, requestId, fingerprint, subject }, async (tx, { commandId }) => {
    await lockPlanningScope(tx, { tenantGroupId: actor.tenantGroupId, id: clinicId }); // before the run, as an apply does
    const run = await readRun(tx, clinicId, runId, true);
    if (!run) throw new AppError("not-found");
    const decision = planningNextActions(run, actor)[action];
    if (!decision.allowed && decision.why === "RIGHT_MISSING")
      throw new AppError("right-missing", "This needs the right STAFF.", { right: "STAFF" });
    if (!decision.allowed) throw new AppError("action-not-allowed", undefined, { why: decision.why, state: run.state });
    return work({ tx, run, commandId, role });
  });
}

/** A plan that nobody wants: it ends, and nothing of the clinic was or is changed by it. */
export function discardRun(deps: CommandDeps, call: PlanningCall, runId: string): Promise<CommandAnswer> {
  return decide(deps, call, runId, "discard", async ({ tx, run, role }) => {
    await discard(tx, run, "DISCARDED", call.actor.ref);
    return decided(run, role, "planning.discarded", { state: "DISCARDED" });
  });
}

/** A new run for the same wish from the facts of now; the old one ends and the new one names it. Throws (stored) planning-running as a request does. */
export function recalculateRun(deps: CommandDeps, call: PlanningCall, runId: string, requestedFrom: RequestedFrom): Promise<CommandAnswer> {
  return decide(deps, call, runId, "recalculate", async ({ tx, run, commandId, role }) => {
    if (!hasEnded(run.state)) await discard(tx, run, "RECALCULATED", call.actor.ref);
    const { actor, clinicId } = call;
    const { fromDate, untilDate, keptIds } = run;
    // the others were moved to other dates meanwhile
    const chosenIds = await visitsWithin(tx, clinicId, { fromDate, untilDate, ids: run.chosenIds });
    const previous = { id: run.id, as: run.previousAs === "PART" ? ("PART" as const) : ("RECALCULATION" as const) };
    const made = await writeRun(tx, { actor, clinicId, commandId, requestedFrom, fromDate, untilDate, chosenIds, keptIds, previous });
    return requested(made, role, "planning.recalculated", run, run.ref);
  });
}

/** Some moves of a plan as a run of their own, in which everything else stays where it is: calculated, compared and applied like any other. */
export function requestPart(
  deps: CommandDeps,
  call: PlanningCall,
  runId: string,
  part: PlanPart,
  requestedFrom: RequestedFrom,
): Promise<CommandAnswer> {
  return decide(deps, call, runId, "applyPart", async ({ tx, run, commandId, role }) => {
    const { actor, clinicId } = call;
    const { fromDate, untilDate } = run;
    const moves = await tx.sql<{ id: string; kind: string }[]>`
      select appointment_id as id, kind from planning_run_moves where run_id = ${run.id} order by position`;
    const movable = new Set(moves.filter(({ kind }) => kind === "MOVE").map(({ id }) => id));
    if (part.appointmentIds.some((id) => !movable.has(id)))
      throw new AppError("subject-invalid", "A visit that was chosen is no move of this plan.");
    if (part.appointmentIds.length === movable.size) throw new AppError("subject-invalid", "That is all of the plan: apply it as it is.");
    const keptIds = moves.map(({ id }) => id).filter((id) => !part.appointmentIds.includes(id));
    const previous = { id: run.id, as: "PART" as const };
    const chosenIds = part.appointmentIds;
    const made = await writeRun(tx, { actor, clinicId, commandId, requestedFrom, fromDate, untilDate, chosenIds, keptIds, previous });
    return requested(made, role, "planning.part-requested", run, run.ref);
  });
}

/** A wish: the solver sees it within a look and ends the run. One that no solver has taken ends at once. */
export function cancelRun(deps: CommandDeps, call: PlanningCall, runId: string): Promise<CommandAnswer> {
  return decide(deps, call, runId, "cancel", async ({ tx, run, role }) => {
    if (run.state === "REQUESTED") await discard(tx, run, "CANCELLED", call.actor.ref);
    await tx.sql`update planning_runs set wanted = 'CANCEL', wanted_by_ref = ${call.actor.ref}, version = version + 1 where id = ${run.id}`;
    const state = run.state === "REQUESTED" ? "DISCARDED" : run.state;
    return decided(run, role, "planning.cancelled", { state, wanted: "CANCEL" });
  });
}

async function discard(tx: Tx, run: PlanningRun, reason: PlanningReason, byRef: string): Promise<void> {
  await tx.sql`
    update planning_runs
    set state = 'DISCARDED', ended_at = clock_timestamp(), ended_reason = ${reason}, ended_by_ref = ${byRef}, lease_owner = null, lease_until = null,
        next_attempt_at = null, version = version + 1
    where id = ${run.id}`;
}

const decided = (run: PlanningRun, role: Role, act: string, body: Record<string, string>): Answer => ({
  status: 200,
  body: { id: run.id, ref: run.ref, ...body },
  audit: { act, role, subjectType: "planning-run", subjectId: run.id, details: { run: run.ref, was: run.state } },
});
