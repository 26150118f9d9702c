import type { drillStates } from "@/db/schema/drills";
import type { InvariantCode, StepCode } from "./catalog";

export type DrillState = (typeof drillStates)[number];
/** Counts and references; never a payload. */
export type Facts = Record<string, string | number>;

export type StepRecord = {
  code: StepCode;
  state: "RUNNING" | "DONE" | "FAILED";
  at: string;
  durationMs: number | null;
  facts: Facts;
};
export type InvariantRecord = { code: InvariantCode; holds: boolean; expected: string; found: string };

/** Why a run did not pass. */
export type DrillReason = "INVARIANT_BROKEN" | "STEP_FAILED" | "NOT_CHECKED" | "STOPPED_BY_STAFF" | "RUNNER_LOST";
