import type { MessageKey } from "@/app/_i18n/messages";
import type { FactFault, FactKind } from "@/server/domain/clinics/fact-types";
import type { PlanningState } from "@/server/domain/planning/types";

export const kindWords: Record<FactKind, MessageKey> = {
  absence: "facts.kind.absence",
  closure: "facts.kind.closure",
  outage: "facts.kind.outage",
  break: "facts.kind.break",
};

export const addWords: Record<FactKind, MessageKey> = {
  absence: "facts.add.absence",
  closure: "facts.add.closure",
  outage: "facts.add.outage",
  break: "facts.add.break",
};

const faults: Record<FactFault, MessageKey> = {
  PERIOD_EMPTY: "facts.fault.PERIOD_EMPTY",
  PERIOD_TOO_LONG: "facts.fault.PERIOD_TOO_LONG",
  OVER_ALREADY: "facts.fault.OVER_ALREADY",
  DOCTOR_UNKNOWN: "facts.fault.DOCTOR_UNKNOWN",
  EQUIPMENT_UNKNOWN: "facts.fault.EQUIPMENT_UNKNOWN",
  UNITS_TOO_MANY: "facts.fault.UNITS_TOO_MANY",
  INTERVAL_EMPTY: "facts.fault.INTERVAL_EMPTY",
  HOURS_OVERLAP: "facts.fault.HOURS_OVERLAP",
};
export const faultWord = (why: string | undefined): MessageKey | undefined => (why === undefined ? undefined : faults[why as FactFault]);

export const weekdayWords = [
  "facts.weekday.1",
  "facts.weekday.2",
  "facts.weekday.3",
  "facts.weekday.4",
  "facts.weekday.5",
  "facts.weekday.6",
  "facts.weekday.7",
] as const satisfies readonly MessageKey[];

/** What a run is doing, for who asked for it at the desk. */
export const runWords: Record<PlanningState, MessageKey> = {
  REQUESTED: "facts.run.REQUESTED",
  CALCULATING: "facts.run.CALCULATING",
  CALCULATED: "facts.run.CALCULATED",
  APPLIED: "facts.run.APPLIED",
  STALE_REJECTED: "facts.run.STALE_REJECTED",
  RETRYABLE: "facts.run.RETRYABLE",
  DISCARDED: "facts.run.DISCARDED",
  FAILED: "facts.run.FAILED",
};
