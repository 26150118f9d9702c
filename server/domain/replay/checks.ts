import type { DeliveryAction } from "@/server/domain/inbox/next-actions";
import type { InboxState } from "@/server/domain/inbox/states";
import type { ReplayOutcome } from "./types";

export const checkNames = ["SCOPE", "REQUEST_BOUND", "ORIGINAL_CONSUMER", "STATE", "OUTCOME_RECORDED"] as const;
export type CheckName = (typeof checkNames)[number];
export type CheckResult = "PASS" | "FAIL" | "UNKNOWN" | "DOES_NOT_APPLY";
export type CheckWhy =
  | "OTHER_SCOPE"
  | "NOT_BOUND"
  | "OTHER_RANGE"
  | "OTHER_LOG"
  | "PREVIEW_OVER"
  | "NOT_ASKED_FOR"
  | "AUDIT_NOT_READ"
  | "OTHER_CONSUMER"
  | "ALREADY_PROCESSED"
  | "BEING_PROCESSED"
  | "NOT_DUE"
  | "BEHIND_ANOTHER"
  | "ALL_CHANGED"
  | "SOME_CHANGED"
  | "ROWS_NOT_READ"
  | "NOT_WRITABLE"
  | "NOT_PROBED";

/** One of the five checks: what was asked for beside what is recorded. References, digests, offsets and counts only. */
export type Check = {
  name: CheckName;
  result: CheckResult;
  requested: string;
  recorded: string;
  why: CheckWhy | null;
  /** Of STATE: how many records stand in each state, for a screen that says states in words. */
  states?: Partial<Record<InboxState, number>>;
  /** Of OUTCOME_RECORDED: the places that can be written in, and what is open to STAFF after each end. */
  places?: readonly RecordPlace[];
  nextAfter?: Record<ReplayOutcome, DeliveryAction>;
};

/** What could be read; what could not is no reason to go on. */
export type Fact<T> = { known: true; value: T } | { known: false };
export const known = <T>(value: T): Fact<T> => ({ known: true, value });
export const unknown: Fact<never> = { known: false };

export type RowFact = {
  scope: string;
  consumer: string;
  state: InboxState;
  /** RETRYABLE and its next attempt is due, or QUARANTINED. */
  isStoppedOrDue: boolean;
  /** An unfinished earlier event of its appointment stands before it, outside of the manifest or behind it there. */
  isBehind: boolean;
  /** Its version is not the one of the preview any more. */
  isChanged: boolean;
  logId: string;
};
export type Binding = { selectionDigest: string; digest: string; range: string };
export type CheckFacts = {
  request: { scope: string; consumer: string; selectionDigest: string; digest: string; range: string; logId: string; isOver: boolean };
  rows: Fact<RowFact[]>;
  /** What the audit says the request id was bound to; null: nothing. Left out: nobody has made a request yet. */
  binding?: Fact<Binding | null>;
  /** Where the end of an item can be written now. */
  writable: Fact<readonly RecordPlace[]>;
};

/** The five checks before a replay, all of them, whatever the first ones say. Pure: screens, commands and the runner get the same answer. */
export function evaluateChecks(facts: CheckFacts): Check[] {
  return [scopeCheck(facts), boundCheck(facts), consumerCheck(facts), stateCheck(facts), outcomeCheck(facts)];
}

/** A missing answer counts as a failed one. */
export const failedChecks = (checks: readonly Check[]): CheckName[] =>
  checks.filter(({ result }) => result === "FAIL" || result === "UNKNOWN").map(({ name }) => name);

function scopeCheck({ request, rows }: CheckFacts): Check {
  const base = { name: "SCOPE" as const, requested: request.scope };
  if (!rows.known) return { ...base, result: "UNKNOWN", recorded: "", why: "ROWS_NOT_READ" };
  const isSame = rows.value.every(({ scope }) => scope === request.scope);
  return { ...base, recorded: counted(rows.value.map(({ scope }) => scope)), ...(isSame ? pass : fail("OTHER_SCOPE")) };
}

function boundCheck({ request, binding, rows }: CheckFacts): Check {
  const base = { name: "REQUEST_BOUND" as const, requested: placeOf(request) };
  if (binding === undefined) return { ...base, result: "DOES_NOT_APPLY", recorded: "", why: "NOT_ASKED_FOR" };
  if (!binding.known) return { ...base, result: "UNKNOWN", recorded: "", why: "AUDIT_NOT_READ" };
  if (binding.value === null) return { ...base, recorded: "", ...fail("NOT_BOUND") };
  const recorded = placeOf(binding.value);
  if (binding.value.selectionDigest !== request.selectionDigest || binding.value.digest !== request.digest)
    return { ...base, recorded, ...fail("OTHER_RANGE") };
  if (rows.known && rows.value.some(({ logId }) => logId !== request.logId)) {
    const logs = counted(rows.value.map(({ logId }) => logId));
    return { ...base, requested: request.logId, recorded: logs, ...fail("OTHER_LOG") };
  }
  if (request.isOver) return { ...base, recorded, ...fail("PREVIEW_OVER") };
  return { ...base, recorded, ...pass };
}

function consumerCheck({ request, rows }: CheckFacts): Check {
  const base = { name: "ORIGINAL_CONSUMER" as const, requested: request.consumer };
  if (!rows.known) return { ...base, result: "UNKNOWN", recorded: "", why: "ROWS_NOT_READ" };
  const isSame = rows.value.every(({ consumer }) => consumer === request.consumer);
  return { ...base, recorded: counted(rows.value.map(({ consumer }) => consumer)), ...(isSame ? pass : fail("OTHER_CONSUMER")) };
}

/** Some rows that changed are skipped by the job; when nothing is left to run, there is nothing to approve. */
function stateCheck({ rows }: CheckFacts): Check {
  const base = { name: "STATE" as const, requested: "QUARANTINED, RETRYABLE" };
  if (!rows.known) return { ...base, result: "UNKNOWN", recorded: "", why: "ROWS_NOT_READ" };
  const found = { recorded: counted(rows.value.map(({ state }) => state)), states: countStates(rows.value) };
  const ready = rows.value.filter((row) => row.isStoppedOrDue && !row.isBehind && !row.isChanged);
  if (ready.length === rows.value.length) return { ...base, ...found, ...pass };
  if (ready.length > 0) return { ...base, ...found, result: "PASS", why: "SOME_CHANGED" };
  return { ...base, ...found, ...fail(whyNot(rows.value)) };
}

function countStates(rows: RowFact[]): Partial<Record<InboxState, number>> {
  const counts: Partial<Record<InboxState, number>> = {};
  for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

function whyNot(rows: RowFact[]): CheckWhy {
  if (rows.every(({ state }) => state === "PROCESSED")) return "ALREADY_PROCESSED";
  if (rows.every(({ state }) => state === "PROCESSING")) return "BEING_PROCESSED";
  if (rows.every(({ isChanged }) => isChanged)) return "ALL_CHANGED";
  return rows.some(({ isBehind, isStoppedOrDue }) => isBehind && isStoppedOrDue) ? "BEHIND_ANOTHER" : "NOT_DUE";
}

/** What must be writable for an end to be on record: the audit, the items, the receipt. */
export const recordPlaces = ["AUDIT", "ITEMS", "RECEIPT"] as const;
export type RecordPlace = (typeof recordPlaces)[number];
/** Every end of an item, with what is open to STAFF after it. */
const nextAfter = {
  PROCESSED: "readResult",
  DUPLICATE: "readResult",
  RETRYABLE: "scheduleRetry",
  QUARANTINED: "reviewReplay",
  SKIPPED: "reviewReplay",
  NOT_REACHED: "reviewReplay",
} as const satisfies Record<ReplayOutcome, DeliveryAction>;
const outcomesText = Object.entries(nextAfter)
  .map(([outcome, action]) => `${outcome} → ${action}`)
  .join(", ");

/** Asked for: the places to write in, and each outcome with its next action. Recorded: the places that can be written in now. */
function outcomeCheck({ writable }: CheckFacts): Check {
  const base = { name: "OUTCOME_RECORDED" as const, requested: `${recordPlaces.join(", ")} · ${outcomesText}`, nextAfter };
  if (!writable.known) return { ...base, recorded: "", result: "UNKNOWN", why: "NOT_PROBED" };
  const found = recordPlaces.filter((place) => writable.value.includes(place));
  return {
    ...base,
    recorded: found.join(", ") || "–",
    places: found,
    ...(found.length === recordPlaces.length ? pass : fail("NOT_WRITABLE")),
  };
}

const pass = { result: "PASS" as const, why: null };
const fail = (why: CheckWhy) => ({ result: "FAIL" as const, why });
const placeOf = ({ range, digest }: { range: string; digest: string }) => `${range} · ${digest.slice(0, 12)}`;

/** `A ×2, B ×1`; the value alone when there is one of it. */
function counted(values: string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => (values.length === 1 ? value : `${value} ×${count}`)).join(", ");
}
