// Calculations of the /design page.
import type { AnsweredQuestion, OfferedRun, OfferedRunEvidence, PlanningQuestion } from "@/server/domain/operations/planning-types";
import { type PlanningAction, type PlanningDecision, planningActions } from "@/server/domain/planning/next-actions";
import type { PlanningState } from "@/server/domain/planning/types";
import { at, day, zone } from "./samples";

const actions = Object.fromEntries(planningActions.map((action) => [action, { allowed: true }])) as Record<
  PlanningAction,
  PlanningDecision
>;
const equal = { calculated: "8c1e4d205b1f4c47", current: "8c1e4d205b1f4c47" };
const differ = { ...equal, current: "f0a93b7712cc01de" };

export const run = (runState: PlanningState, more: Partial<OfferedRun> = {}): OfferedRun => ({
  id: `run.019c1f00-0000-7000-8000-0000000000${runState.length}`,
  kind: "run",
  group: runState === "CALCULATED" || runState === "STALE_REJECTED" ? "DECISION" : "WAITING",
  state: runState,
  runState,
  clinicId: "c",
  clinicRef: "CL-203000",
  zone,
  at: day("13:54"),
  ref: `SOL-0041${runState.length}`,
  version: "3",
  fromDate: "2026-08-19",
  untilDate: "2026-08-21",
  versions: equal,
  differs: [],
  staleKind: null,
  endedReason: null,
  sqlstate: null,
  probablyStale: false,
  behindRef: null,
  casFailures: 0,
  sources: 38,
  moves: 7,
  unplaced: 0,
  stays: 1,
  written: 0,
  applyAttempts: 0,
  wanted: "RUN",
  requestedById: "u",
  requestedAt: day("13:50"),
  startedAt: day("13:51"),
  timeLimitMs: 1_200_000,
  progress: null,
  nextAttemptAt: null,
  leaseUntil: null,
  unread: [],
  actions,
  ...more,
});

export const calculated = run("CALCULATED");
export const stale = run("STALE_REJECTED", { versions: differ, differs: ["doctors", "slots"], staleKind: "FACTS", applyAttempts: 1 });
export const applied = run("APPLIED", { group: "SETTLED", written: 7, applyAttempts: 1 });
export const runs: OfferedRun[] = [
  calculated,
  stale,
  run("CALCULATED", { id: "run.review", state: "DEGRADED_REVIEW", versions: { ...equal, current: null }, unread: ["CURRENT_VERSION"] }),
  run("REQUESTED", { versions: null, sources: null, moves: null, startedAt: null }),
  run("CALCULATING", { versions: null, progress: { phase: "search", elapsedMs: 300_000, cost: 412, bound: 380, unassigned: 1 } }),
  run("RETRYABLE", { sqlstate: "40001", nextAttemptAt: day("14:07"), applyAttempts: 1 }),
  applied,
  run("DISCARDED", { group: "SETTLED", staleKind: "FACTS", endedReason: "RECALCULATED" }),
  run("FAILED", { group: "SETTLED", versions: null, moves: null, endedReason: "NO_MEMORY" }),
];

const question = (name: PlanningQuestion, answer: "YES" | "YES_EQUAL" | "YES_DIFFER" | "NOT_YET" | "NOT_A_POLICY" | "NOT_A_NOTIFICATION") =>
  ({ question: name, answer }) satisfies AnsweredQuestion;
const rest: AnsweredQuestion[] = [question("POLICY", "NOT_A_POLICY"), question("NOTIFICATION", "NOT_A_NOTIFICATION")];
export const answered: AnsweredQuestion[] = [
  question("SCOPE", "YES"),
  question("VERSIONS", "YES_EQUAL"),
  question("ROLLED_BACK", "NOT_YET"),
  ...rest,
];
export const unanswered: AnsweredQuestion[] = [
  question("SCOPE", "YES"),
  { question: "VERSIONS", answer: "MISSING", unread: ["CURRENT_VERSION", "ATTEMPT"] },
  { question: "ROLLED_BACK", answer: "YES_ROLLED_BACK", written: 0 },
  ...rest,
];

const groups = (row: OfferedRun): OfferedRunEvidence["groups"] =>
  (["clinic", "doctors", "equipment", "closures", "slots"] as const).map((group, n) => {
    const digest = `${n}b7741aa`;
    return {
      group,
      calculated: digest,
      current: row.versions?.current === null ? null : row.differs.includes(group) ? `e${digest}` : digest,
    };
  });

const levels = { unassigned: 0, toldMoved: 2, untoldMoved: 5, doctorChanged: 1, daysMoved: 0, quartersMoved: 12 };
const calculation = {
  calculatedAt: day("13:52"),
  solveMs: 8_700,
  snapshotMs: 120,
  visits: 38,
  movable: 12,
  feasible: true,
  proven: true,
  reproducible: true,
  endedBy: null,
  cost: 412,
  bound: 400,
  gap: 12,
  levels: { ...levels, wishesMissed: 0, loadPairs: 3, idleMinutes: 40 },
  seed: 1,
  engine: {},
};
const apply = {
  attempt: 1,
  actorRef: "ST-000417",
  sourcesCompared: 38,
  sourcesBehind: 0,
  behind: [],
  casFailures: 0,
  capacityRef: null,
  sqlstate: null,
  runs: 1,
  startedAt: day("14:00"),
  endedAt: day("14:00"),
  durationMs: 178,
};
export const evidenceOf = (row: OfferedRun, more: Partial<OfferedRunEvidence> = {}): OfferedRunEvidence => ({
  kind: "run",
  row,
  scope: { tenantGroupRef: "TG-014000", clinicRef: "CL-203000", clinicName: "Harbour", zone },
  asked: { byRef: "ST-000031", from: "DESK", at: day("13:50"), commandId: "019c1f00-0000-7000-8000-000000000001" },
  groups: groups(row),
  changes: [],
  changesMore: 0,
  sources: { byVersion: 30, byPlacement: 8, behindCount: 0, behind: [] },
  calculation,
  attempts: [],
  applied: null,
  ended: null,
  previous: null,
  next: [],
  audit: [],
  questions: answered,
  actions,
  asOf: new Date(at).toISOString(),
  ...more,
});
const change = {
  group: "doctors" as const,
  fact: "absences",
  subjectRef: "D-02",
  from: day("15:00"),
  until: day("17:00"),
  byRef: "ST-000031",
  at: day("13:58"),
};
export const staleEvidence = evidenceOf(stale, {
  changes: [
    { ...change, id: "1", change: "ADDED" },
    { ...change, id: "2", change: "CHANGED", until: null },
    { ...change, id: "3", change: "REMOVED", fact: "breaks", from: null, until: null },
  ],
  changesMore: 2,
  attempts: [
    { ...apply, outcome: "STALE_REJECTED", reached: "FACTS", staleKind: "FACTS", sourcesCompared: null, sourcesBehind: null, written: 0 },
  ],
});
export const retryEvidence = evidenceOf(run("RETRYABLE", { nextAttemptAt: day("14:07") }), {
  attempts: [{ ...apply, outcome: "RETRYABLE", reached: "ROWS", staleKind: null, sqlstate: "40001", written: 0 }],
});
export const appliedEvidence = evidenceOf(applied, {
  attempts: [{ ...apply, outcome: "APPLIED", reached: "DONE", staleKind: null, written: 7 }],
});
