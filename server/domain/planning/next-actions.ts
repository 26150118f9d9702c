import { type Actor, hasRole } from "@/server/domain/scope/actor";
import { hasEnded, isApplicable, isRunning } from "./states";
import type { PlanningState } from "./types";

export const planningActions = ["apply", "applyPart", "discard", "recalculate", "cancel"] as const;
export type PlanningAction = (typeof planningActions)[number];

/** What the decision needs of a run. */
export type PlanningActionRow = {
  clinicId: string;
  state: PlanningState;
  wanted: "RUN" | "CANCEL";
  /** Visits that get another place; null: not calculated. */
  moves: number | null;
  requestedById: string;
};

/** Why an action is not possible now. STALE: the server refused it once and refuses it always; only a new calculation helps. */
export type WhyNoPlanning =
  | "RIGHT_MISSING"
  | "NOT_CALCULATED"
  | "STALE"
  | "NOTHING_MOVES"
  | "NO_PART"
  | "ENDED"
  | "NOT_RUNNING"
  | "STILL_RUNNING"
  | "CANCEL_WISHED";
export type PlanningDecision = { allowed: true } | { allowed: false; why: WhyNoPlanning };

const allowed: PlanningDecision = { allowed: true };
const no = (why: WhyNoPlanning): PlanningDecision => ({ allowed: false, why });

/** Draws the buttons and guards the commands. STAFF decide; who asked for a calculation at the desk may stop it. */
export function planningNextActions(row: PlanningActionRow, actor: Actor): Record<PlanningAction, PlanningDecision> {
  const isStaff = hasRole(actor, "STAFF", row.clinicId);
  const mayCancel =
    isStaff || (actor.kind === "person" && actor.userId === row.requestedById && hasRole(actor, "FRONT_DESK", row.clinicId));
  const forStaff = (decision: PlanningDecision) => (isStaff ? decision : no("RIGHT_MISSING"));
  return {
    apply: forStaff(applyOf(row)),
    applyPart: forStaff(partOf(row)),
    discard: forStaff(endOf(row)),
    recalculate: forStaff(endOf(row)),
    cancel: mayCancel ? cancelOf(row) : no("RIGHT_MISSING"),
  };
}

function applyOf({ state, moves }: PlanningActionRow): PlanningDecision {
  if (state === "STALE_REJECTED") return no("STALE");
  if (isRunning(state)) return no("NOT_CALCULATED");
  if (!isApplicable(state)) return no("ENDED");
  return (moves ?? 0) > 0 ? allowed : no("NOTHING_MOVES");
}

/** A part of one move is the whole. */
function partOf(row: PlanningActionRow): PlanningDecision {
  const whole = applyOf(row);
  return whole.allowed && (row.moves ?? 0) < 2 ? no("NO_PART") : whole;
}

function endOf({ state }: PlanningActionRow): PlanningDecision {
  if (isRunning(state)) return no("STILL_RUNNING");
  return hasEnded(state) ? no("ENDED") : allowed;
}

function cancelOf({ state, wanted }: PlanningActionRow): PlanningDecision {
  if (!isRunning(state)) return no("NOT_RUNNING");
  return wanted === "CANCEL" ? no("CANCEL_WISHED") : allowed;
}
