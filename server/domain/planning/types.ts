import { z } from "zod";
import type { applyOutcomes, applySteps, planningStates, staleKinds } from "@/db/schema/planning";
import type { CommandCall } from "@/server/domain/idempotency/types";
import type { PersonActor } from "@/server/domain/scope/actor";
import { isUuid } from "@/server/ids";
import { planningLimits } from "./limits";
import type { FactGroup } from "./snapshot/types";

export type PlanningState = (typeof planningStates)[number];
/** Why a plan may not be applied any more: the facts, a row it was calculated from, a place that is taken by now, or a place that has gone by. */
export type StaleKind = (typeof staleKinds)[number];
export type ApplyOutcome = (typeof applyOutcomes)[number];
/** How far an apply got: planning scope locked, facts compared, rows locked, versions compared, rows written, all of it. */
export type ApplyStep = (typeof applySteps)[number];

const localDate = z.iso.date();
const visitId = z.string().refine(isUuid, "must be a UUID in its canonical lower-case form");
const visitIds = z
  .array(visitId)
  .max(planningLimits.visitsChosenMax)
  .refine((ids) => new Set(ids).size === ids.length, "a visit is named twice");

const dayMs = 86_400_000;
const daysOf = (range: { fromDate: string; untilDate: string }) => (Date.parse(range.untilDate) - Date.parse(range.fromDate)) / dayMs + 1;

/** A wish for new times: the clinic's dates, both included, and CONFIRMED visits that may move although nothing stands in their way. */
export const planRequest = z
  .strictObject({ fromDate: localDate, untilDate: localDate, chosenIds: visitIds.default([]) })
  .refine((range) => range.fromDate <= range.untilDate, "the range ends before it begins")
  .refine((range) => daysOf(range) <= planningLimits.daysMax, `at most ${planningLimits.daysMax} days`);
export type PlanRequest = z.infer<typeof planRequest>;

/** Some moves of a calculated plan: a new run in which everything else stays where it is. */
export const planPart = z.strictObject({ appointmentIds: visitIds.min(1) });
export type PlanPart = z.infer<typeof planPart>;

/** A keyed call of a person about a clinic's plans. */
export type PlanningCall = Omit<CommandCall, "actor"> & { actor: PersonActor };

/** From where a run was asked for. */
export type RequestedFrom = "DESK" | "OPERATIONS" | "COMMAND_LINE";

export type Compared<T> = { expected: T; found: T };
/** A row that is not as the plan knew it; `to` null: it is gone. */
export type SourceBehind = { ref: string; kind: "VERSION" | "PLACEMENT"; from: string; to: string | null };

/** What an apply compared and how it ended. STALE_REJECTED and RETRYABLE wrote nothing. */
export type ApplyResult = {
  runId: string;
  runRef: string;
  attempt: number;
  outcome: ApplyOutcome;
  reached: ApplyStep;
  staleKind: StaleKind | null;
  factVersion: Compared<string> | null;
  factGroups: Record<FactGroup, Compared<string>> | null;
  sourcesCompared: number | null;
  sourcesBehind: number | null;
  behind: SourceBehind[];
  casFailures: number;
  capacity: { resourceId: string; ref: string | null; kind: string | null } | null;
  sqlstate: string | null;
  /** Runs of the transaction that the database asked for. */
  runs: number;
  written: number;
  stepMs: Partial<Record<"scope" | "facts" | "rows" | "write", number>>;
  durationMs: number;
};
