import { describe, expect, it } from "vitest";
import {
  type CheckFacts,
  type CheckName,
  type CheckResult,
  type CheckWhy,
  evaluateChecks,
  failedChecks,
  known,
  type RowFact,
  recordPlaces,
  unknown,
} from "./checks";

const row: RowFact = {
  scope: "TG-014 / CL-203",
  consumer: "reminder-planner-v1",
  state: "QUARANTINED",
  isStoppedOrDue: true,
  isBehind: false,
  isChanged: false,
  logId: "pg-1",
};
const bound = { selectionDigest: "s1", digest: "d1", range: "p3 184190" };
const facts: CheckFacts = {
  request: { ...bound, scope: row.scope, consumer: row.consumer, logId: "pg-1", isOver: false },
  rows: known([row]),
  binding: known(bound),
  writable: known(recordPlaces),
};
const resultsOf = (broken: Partial<CheckFacts>) =>
  Object.fromEntries(evaluateChecks({ ...facts, ...broken }).map(({ name, result, why }) => [name, why ? `${result} ${why}` : result]));
const allPass = { SCOPE: "PASS", REQUEST_BOUND: "PASS", ORIGINAL_CONSUMER: "PASS", STATE: "PASS", OUTCOME_RECORDED: "PASS" };

describe("the five checks", () => {
  it("pass together, each with what was asked for beside what is recorded", () => {
    expect(resultsOf({})).toEqual(allPass);
    expect(evaluateChecks(facts).map(({ requested, recorded }) => [requested, recorded])).toEqual([
      ["TG-014 / CL-203", "TG-014 / CL-203"],
      ["p3 184190 · d1", "p3 184190 · d1"],
      ["reminder-planner-v1", "reminder-planner-v1"],
      ["QUARANTINED, RETRYABLE", "QUARANTINED"],
      [
        "AUDIT, ITEMS, RECEIPT · PROCESSED → readResult, DUPLICATE → readResult, RETRYABLE → scheduleRetry, QUARANTINED → reviewReplay, SKIPPED → reviewReplay, NOT_REACHED → reviewReplay",
        "AUDIT, ITEMS, RECEIPT",
      ],
    ]);
  });

  const broken: [string, CheckName, CheckResult, CheckWhy, Partial<CheckFacts>][] = [
    ["a row is of another clinic", "SCOPE", "FAIL", "OTHER_SCOPE", { rows: known([row, { ...row, scope: "TG-014 / CL-117" }]) }],
    [
      "the id was bound to other offsets",
      "REQUEST_BOUND",
      "FAIL",
      "OTHER_RANGE",
      { binding: known({ ...bound, selectionDigest: "s2", range: "p3 184195" }) },
    ],
    ["the manifest is not the audited one", "REQUEST_BOUND", "FAIL", "OTHER_RANGE", { binding: known({ ...bound, digest: "d2" }) }],
    ["the audit knows no such id", "REQUEST_BOUND", "FAIL", "NOT_BOUND", { binding: known(null) }],
    ["the audit did not answer", "REQUEST_BOUND", "UNKNOWN", "AUDIT_NOT_READ", { binding: unknown }],
    ["the row lies in another log", "REQUEST_BOUND", "FAIL", "OTHER_LOG", { rows: known([{ ...row, logId: "kafka-1" }]) }],
    ["the preview is over", "REQUEST_BOUND", "FAIL", "PREVIEW_OVER", { request: { ...facts.request, isOver: true } }],
    [
      "another consumer took the row",
      "ORIGINAL_CONSUMER",
      "FAIL",
      "OTHER_CONSUMER",
      { rows: known([{ ...row, consumer: "daily-load-v1" }]) },
    ],
    ["the row is done", "STATE", "FAIL", "ALREADY_PROCESSED", { rows: known([{ ...row, state: "PROCESSED", isStoppedOrDue: false }]) }],
    [
      "a worker holds the row",
      "STATE",
      "FAIL",
      "BEING_PROCESSED",
      { rows: known([{ ...row, state: "PROCESSING", isStoppedOrDue: false }]) },
    ],
    ["the row waits for its time", "STATE", "FAIL", "NOT_DUE", { rows: known([{ ...row, state: "RETRYABLE", isStoppedOrDue: false }]) }],
    ["the row stands behind another", "STATE", "FAIL", "BEHIND_ANOTHER", { rows: known([{ ...row, isBehind: true }]) }],
    ["the row changed since", "STATE", "FAIL", "ALL_CHANGED", { rows: known([{ ...row, isChanged: true }]) }],
    ["nothing can be written", "OUTCOME_RECORDED", "FAIL", "NOT_WRITABLE", { writable: known(["AUDIT"]) }],
    ["nobody could ask", "OUTCOME_RECORDED", "UNKNOWN", "NOT_PROBED", { writable: unknown }],
  ];
  it.each(broken)("O-4 when %s, %s is %s (%s) and the others are still listed", (_, name, result, why, change) => {
    expect(resultsOf(change)).toEqual({ ...allPass, [name]: `${result} ${why}` });
    expect(failedChecks(evaluateChecks({ ...facts, ...change }))).toEqual([name]); // unknown counts as failed
  });

  it("are unknown, not passed, where the rows could not be read", () => {
    const checks = evaluateChecks({ ...facts, rows: unknown });
    expect(failedChecks(checks)).toEqual(["SCOPE", "ORIGINAL_CONSUMER", "STATE"]);
  });

  it("say that one does not apply before anybody made a request, which stops nothing", () => {
    const { binding: _, ...unasked } = facts;
    expect(evaluateChecks(unasked)[1]).toMatchObject({ result: "DOES_NOT_APPLY", why: "NOT_ASKED_FOR" });
    expect(failedChecks(evaluateChecks(unasked))).toEqual([]);
  });

  it("name states, places and ends apart from the line of codes, for screens that say them in words", () => {
    const [, , , state, outcome] = evaluateChecks({ ...facts, writable: known(["AUDIT", "ITEMS"]) });
    expect(state?.states).toEqual({ QUARANTINED: 1 });
    expect(outcome).toMatchObject({
      result: "FAIL",
      places: ["AUDIT", "ITEMS"],
      nextAfter: { PROCESSED: "readResult", RETRYABLE: "scheduleRetry" },
    });
  });

  it("let a range go on without the rows that changed, and say so", () => {
    const rows = known([row, { ...row, isChanged: true }, { ...row, state: "PROCESSED" as const, isStoppedOrDue: false }]);
    expect(evaluateChecks({ ...facts, rows })[3]).toMatchObject({
      result: "PASS",
      why: "SOME_CHANGED",
      recorded: "QUARANTINED ×2, PROCESSED ×1",
      states: { QUARANTINED: 2, PROCESSED: 1 },
    });
  });
});
