import { planningLimits } from "./limits";
import type { PlanningState } from "./types";

/** README.md draws it. APPLIED, DISCARDED and FAILED have ended; what is left over is work for another run. */
export const planningMoves: Record<PlanningState, readonly PlanningState[]> = {
  REQUESTED: ["CALCULATING", "DISCARDED"],
  CALCULATING: ["CALCULATING", "REQUESTED", "CALCULATED", "FAILED", "DISCARDED"],
  CALCULATED: ["APPLIED", "STALE_REJECTED", "RETRYABLE", "DISCARDED"],
  RETRYABLE: ["APPLIED", "STALE_REJECTED", "RETRYABLE", "DISCARDED"],
  STALE_REJECTED: ["DISCARDED"],
  APPLIED: [],
  DISCARDED: [],
  FAILED: [],
};
export const hasEnded = (state: PlanningState): boolean => planningMoves[state].length === 0;
export const isRunning = (state: PlanningState): boolean => state === "REQUESTED" || state === "CALCULATING";
/** A plan that the fence may still let through. The fence decides anew each time. */
export const isApplicable = (state: PlanningState): boolean => planningMoves[state].includes("APPLIED");

/** Why a run ended without being applied. */
export const planningReasons = {
  DISCARDED: "a person discarded it",
  CANCELLED: "a person stopped the calculation",
  RECALCULATED: "another run has taken its place",
  SOLVER_LOST: "solver after solver died over it",
  SOLVER_FAILED: "the solver could not calculate it",
  CLINIC_GONE: "the clinic is not there any more",
} as const;
export type PlanningReason = keyof typeof planningReasons;

/** What a claim makes of a run that waits or was left: calculate it, or give it up after too many deaths. */
export const claimMove = (calculations: number): "CALCULATE" | "GIVE_UP" =>
  calculations >= planningLimits.calculationsMax ? "GIVE_UP" : "CALCULATE";

/** Whether the planning worker applies a RETRYABLE run again by itself; otherwise STAFF do. */
export const workerTriesAgain = (workerAttempts: number): boolean => workerAttempts < planningLimits.workerAttemptsMax;
