/**
 * Every drill: which failure it practises, where it can be started, its steps and what it checks at the end. Words for each code stand with the screens,
 * and docs/runbook/<name>.md says what to do when the same happens unasked. A drill that takes a step, or checks something, that is not named here does
 * not compile.
 */
export type DrillEntry = {
  group: DrillGroup;
  /** page: inside this process, in a synthetic scope. command-line: it stops real processes, so it runs on a throw-away set-up only. */
  startedFrom: "page" | "command-line";
  /** RB-… */
  runbook: string;
  steps: readonly string[];
  invariants: readonly string[];
};
export type DrillGroup = "delivery" | "planning" | "infrastructure";

export const drillCatalog = {
  "poison-event": {
    group: "delivery",
    startedFrom: "page",
    runbook: "RB-01",
    steps: ["publish", "consume", "retryToLimit", "checkAll"],
    invariants: ["stoppedAtLimit", "poisonHasNoEffect", "neighbourDoneOnce", "successorWaits", "taskOpened", "outOfLiveCounts"],
  },
  "schema-mismatch": {
    group: "delivery",
    startedFrom: "page",
    runbook: "RB-02",
    steps: ["publish", "consume", "redeliver", "checkAll"],
    invariants: ["stoppedAtOnce", "handlerNotAsked", "neighbourDoneOnce", "successorWaits", "outOfLiveCounts"],
  },
  "replay-killed": {
    group: "delivery",
    startedFrom: "page",
    runbook: "RB-03",
    steps: ["publish", "stopAll", "approve", "killRunner", "holdPastLease", "takeOver", "checkAll"],
    invariants: ["receiptAddsUp", "eachDoneOnce", "takeOverAudited", "offsetsUnmoved", "outOfLiveCounts"],
  },
  "lease-lost": {
    group: "delivery",
    startedFrom: "page",
    runbook: "RB-04",
    steps: ["publish", "claimByA", "holdPastLease", "takeOver", "lateWrite", "checkAll"],
    invariants: ["effectOnce", "lateChangedNothing", "attemptsAndFences", "offsetsUnmoved", "outOfLiveCounts"],
  },
  "double-click": {
    group: "delivery",
    startedFrom: "page",
    runbook: "RB-05",
    steps: ["publish", "stopAll", "approveAtOnce", "askForSame", "runJob", "checkAll"],
    invariants: ["approvedOnce", "sameJobForAll", "secondRequestSentToFirst", "eachDoneOnce", "outOfLiveCounts"],
  },
  "stale-result": {
    group: "planning",
    startedFrom: "page",
    runbook: "RB-06",
    steps: ["makeClinic", "calculate", "changeFact", "apply", "recalculate", "checkAll"],
    invariants: ["refusedAsStale", "nothingWritten", "recalculationApplied", "outOfLiveCounts"],
  },
  "competing-plans": {
    group: "planning",
    startedFrom: "page",
    runbook: "RB-07",
    steps: ["makeClinic", "calculateTwo", "applyAtOnce", "checkAll"],
    invariants: ["oneApplied", "refusedAsStale", "movedOnce", "outOfLiveCounts"],
  },
  "solver-killed": {
    group: "planning",
    startedFrom: "page",
    runbook: "RB-08",
    steps: ["makeClinic", "killSolver", "holdPastLease", "takeOver", "apply", "checkAll"],
    invariants: ["calculatedOnce", "takeOverAudited", "movedOnce", "outOfLiveCounts"],
  },
  "fact-writer-in-flight": {
    group: "planning",
    startedFrom: "page",
    runbook: "RB-09",
    steps: ["makeClinic", "calculate", "holdFact", "applyMeanwhile", "commitFact", "checkAll"],
    invariants: ["factSeen", "nothingWritten", "outOfLiveCounts"],
  },
  "broker-down": {
    group: "infrastructure",
    startedFrom: "command-line",
    runbook: "RB-12",
    steps: ["startProduct", "book", "stopLog", "bookMeanwhile", "startLog", "catchUp", "checkAll"],
    invariants: ["bookingsAccepted", "noAttemptUsed", "nothingLost", "eachDoneOnce", "recordsHold"],
  },
  "db-restart": {
    group: "infrastructure",
    startedFrom: "command-line",
    runbook: "RB-13",
    steps: ["startProduct", "book", "stopDatabase", "startDatabase", "catchUp", "checkAll"],
    invariants: ["processesStayed", "nothingLost", "answeredAlike", "eachDoneOnce", "recordsHold"],
  },
  "relay-killed": {
    group: "infrastructure",
    startedFrom: "command-line",
    runbook: "RB-14",
    steps: ["startProduct", "book", "killRelay", "takeOver", "catchUp", "checkAll"],
    invariants: ["publishedAgain", "nothingLost", "eachDoneOnce", "recordsHold"],
  },
} as const satisfies Record<string, DrillEntry>;

export type DrillName = keyof typeof drillCatalog;
export type StepCode<N extends DrillName = DrillName> = (typeof drillCatalog)[N]["steps"][number];
export type InvariantCode<N extends DrillName = DrillName> = (typeof drillCatalog)[N]["invariants"][number];
/** Drills that STAFF start from a page. */
export type PageDrill = { [N in DrillName]: (typeof drillCatalog)[N]["startedFrom"] extends "page" ? N : never }[DrillName];

export const drillNames = Object.keys(drillCatalog) as DrillName[];
export const pageDrills = drillNames.filter((name) => drillCatalog[name].startedFrom === "page") as [PageDrill, ...PageDrill[]];
export const drillEntry = (name: DrillName): DrillEntry => drillCatalog[name];

/** In the order of the catalogue. */
export const drillGroups = [...new Set(drillNames.map((name) => drillCatalog[name].group))];

/** `all`, a group or a single drill, in the order of the catalogue; undefined for anything else. */
export function drillsNamed(word: string): DrillName[] | undefined {
  if (word === "all") return drillNames;
  const ofGroup = drillNames.filter((name) => drillCatalog[name].group === word);
  if (ofGroup.length > 0) return ofGroup;
  return drillNames.includes(word as DrillName) ? [word as DrillName] : undefined;
}
