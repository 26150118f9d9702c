import { z } from "zod";
import type { AuditResult } from "../audit/append-audit-entry";
import type { PlanningAction, PlanningDecision } from "../planning/next-actions";
import type { FactGroup } from "../planning/snapshot/types";
import type { Levels, SolvePhase } from "../planning/solver/types";
import type { ApplyOutcome, ApplyStep, PlanningState, RequestedFrom, SourceBehind, StaleKind } from "../planning/types";
import { type QueueGroup, queueGroups } from "./types";

/** What the tiles count and filter by. DEGRADED is derived from what waits to be sent and what was given up. */
export const planningTiles = ["APPLIED", "STALE_REJECTED", "DEGRADED"] as const;
export type PlanningTile = (typeof planningTiles)[number];

/** Days by name, each by the clock of its clinic: today, and today with the six days after it. */
const namedDays = ["today", "7d"] as const;
export type NamedDays = (typeof namedDays)[number];
const dateRange = z.object({ from: z.iso.date(), until: z.iso.date() }).refine(({ from, until }) => from <= until, "ends before it begins");
export type PlanningDays = NamedDays | z.infer<typeof dateRange>;

export const planningFilter = z.object({
  tiles: z.array(z.enum(planningTiles)).default([]),
  /** Only rows that a person must decide. */
  decisionOnly: z.boolean().default(false),
  /** Plans whose dates meet these, both ends included. What is no plan has no dates and is left out then. */
  days: z.union([z.enum(namedDays), dateRange]).optional(),
  /** Reference of a run, of a visit that it moves or of a clinic, an id, or the start of a fact version. */
  search: z.string().trim().max(200).optional(),
});
export type PlanningFilter = z.infer<typeof planningFilter>;

export const planningRowId = z.string().regex(/^(run|notification)\.[0-9a-f]{8}-[0-9a-f-]{27}$/);
export const planningCursor = z.object({ group: z.enum(queueGroups), at: z.string().max(40), id: z.string().max(60) });
export type PlanningCursor = z.infer<typeof planningCursor>;

/** A calculated version beside the one of now; null: it could not be read. */
export type VersionPair = { calculated: string; current: string | null };

/** The five questions that come before every decision, in their order. */
export const planningQuestions = ["SCOPE", "VERSIONS", "ROLLED_BACK", "POLICY", "NOTIFICATION"] as const;
export type PlanningQuestion = (typeof planningQuestions)[number];
/** What was not read, by name. */
export type Unread = "CURRENT_VERSION" | "ATTEMPT" | "CIRCUIT" | "RETENTION" | "TICKS";
/** An answer, "does not apply (yet)", or none: then the row stands in review. */
export type AnsweredQuestion = { question: PlanningQuestion } & (
  | { answer: "YES" | "YES_EQUAL" | "YES_DIFFER" | "NO_CAS_FAILED" }
  | { answer: "YES_ROLLED_BACK"; written: number }
  | { answer: "NOT_YET" | "NOT_A_CALCULATION" | "NOT_A_POLICY" | "NOT_A_NOTIFICATION" }
  | { answer: "MISSING"; unread: Unread[] }
);

/** State of a row: a run's own, or the review that is derived and never stored. */
export type PlanningRowState = PlanningState | "DEGRADED_REVIEW";

/** What a run that is being calculated said last. */
export type RunProgress = { phase: SolvePhase; elapsedMs: number; cost: number; bound: number; unassigned: number };

type RowBase = {
  /** run.<id> or notification.<clinic id> */
  id: string;
  group: QueueGroup;
  state: PlanningRowState;
  clinicId: string;
  clinicRef: string;
  zone: string;
  /** Instant that sorts the row in its group. */
  at: string;
};
export type RunRow = RowBase & {
  kind: "run";
  ref: string;
  /** The stored state, also while the row stands in review. */
  runState: PlanningState;
  /** What an act on the row names. */
  version: string;
  fromDate: string;
  untilDate: string;
  /** null: not calculated yet. */
  versions: VersionPair | null;
  differs: FactGroup[];
  /** Why it was refused; of a run that was discarded afterwards too. */
  staleKind: StaleKind | null;
  endedReason: string | null;
  sqlstate: string | null;
  /** Facts changed meanwhile, as the trigger noticed: a signpost. */
  probablyStale: boolean;
  /** The first visit that was not as the plan knew it. */
  behindRef: string | null;
  casFailures: number;
  sources: number | null;
  moves: number | null;
  unplaced: number | null;
  /** Affected or chosen, and left where they are by this plan. */
  stays: number;
  written: number;
  applyAttempts: number;
  wanted: "RUN" | "CANCEL";
  requestedById: string;
  requestedAt: string;
  startedAt: string | null;
  timeLimitMs: number;
  progress: RunProgress | null;
  nextAttemptAt: string | null;
  leaseUntil: string | null;
  unread: Unread[];
};
export type Backlog = { waiting: number; oldestSeconds: number | null; givenUp: number };
export type NotificationRow = RowBase & { kind: "notification"; state: "DEGRADED_REVIEW"; backlog: Backlog };
export type PlanningRow = RunRow | NotificationRow;

/** A row with what it offers to its reader. */
export type OfferedRun = RunRow & { actions: Record<PlanningAction, PlanningDecision> };
export type OfferedPlanningRow = OfferedRun | NotificationRow;
export type PlanningPage<Row = PlanningRow> = { rows: Row[]; next: PlanningCursor | null; asOf: string };

export type FactChangeView = {
  id: string;
  group: FactGroup;
  /** Name of the table that holds the fact. */
  fact: string;
  /** D-…, EQ-… or CL-… of what it is about. */
  subjectRef: string | null;
  change: "ADDED" | "CHANGED" | "REMOVED";
  from: string | null;
  until: string | null;
  byRef: string;
  at: string;
};

export type ApplyAttemptView = {
  attempt: number;
  outcome: ApplyOutcome;
  reached: ApplyStep;
  staleKind: StaleKind | null;
  actorRef: string;
  sourcesCompared: number | null;
  sourcesBehind: number | null;
  behind: SourceBehind[];
  casFailures: number;
  capacityRef: string | null;
  sqlstate: string | null;
  runs: number;
  written: number;
  startedAt: string;
  endedAt: string;
  durationMs: number;
};

export type CalculationView = {
  calculatedAt: string;
  solveMs: number;
  snapshotMs: number;
  visits: number;
  movable: number;
  feasible: boolean;
  proven: boolean;
  reproducible: boolean;
  endedBy: string | null;
  cost: number;
  bound: number | null;
  gap: number | null;
  levels: Levels;
  seed: number;
  engine: Record<string, string | null>;
};

export type RunEvidence = {
  kind: "run";
  row: RunRow;
  scope: { tenantGroupRef: string; clinicRef: string; clinicName: string; zone: string };
  asked: { byRef: string; from: RequestedFrom; at: string; commandId: string };
  /** null: not calculated yet, or not comparable with the facts of now. */
  groups: { group: FactGroup; calculated: string; current: string | null }[] | null;
  changes: FactChangeView[];
  /** Changes beyond those that are shown. */
  changesMore: number;
  /** The stored versions held against the visits of now. */
  sources: { byVersion: number; byPlacement: number; behindCount: number; behind: SourceBehind[] } | null;
  calculation: CalculationView | null;
  /** Newest first. */
  attempts: ApplyAttemptView[];
  applied: { at: string; byRef: string | null; commandId: string; told: number; toTell: number } | null;
  ended: { at: string; byRef: string | null; reason: string | null } | null;
  previous: { id: string; ref: string; as: "RECALCULATION" | "PART" } | null;
  next: { id: string; ref: string; as: "RECALCULATION" | "PART" }[];
  audit: { id: string; at: string; actorRef: string; act: string; result: AuditResult }[];
  questions: AnsweredQuestion[];
  asOf: string;
};
export type OfferedRunEvidence = RunEvidence & { actions: Record<PlanningAction, PlanningDecision> };

export type Signal = { state: "GOOD" | "POOR" | "UNREAD" } & (
  | { signal: "BACKLOG"; waiting: number; oldestSeconds: number | null; reviewAfterSeconds: number }
  | { signal: "GIVEN_UP"; count: number; lastReason: string | null }
  | { signal: "DISPATCH"; beatAt: string | null; silentSeconds: number | null }
  | { signal: "REMINDERS"; beatAt: string | null; silentSeconds: number | null }
  | { signal: "CIRCUIT"; openFor: number; answeredAt: string | null }
  | { signal: "RETENTION" }
);
export type NotificationEvidence = {
  kind: "notification";
  row: NotificationRow;
  scope: { tenantGroupRef: string; clinicRef: string; clinicName: string; zone: string };
  signals: Signal[];
  /** What became of appointments meanwhile: the other side of the boundary. */
  appointments: { changes: number; sentLate: number; sentTwice: number };
  questions: AnsweredQuestion[];
  asOf: string;
};
export type PlanningEvidence = OfferedRunEvidence | NotificationEvidence;

/** A visit before and after. Places are names of the clinic's doctors and devices by reference. */
export type PlaceView = { doctorRef: string; startsAt: string; equipmentRefs: string[] };
export type MoveView = {
  position: number;
  appointmentId: string;
  appointmentRef: string;
  kind: "MOVE" | "UNPLACED" | "STAYS";
  status: string;
  from: PlaceView;
  to: PlaceView | null;
  whyCode: string;
  whySubjectRef: string | null;
  whyFrom: string | null;
  whyUntil: string | null;
  /** Of which place the patient knows: the new one once its message was sent. */
  told: { of: "NEW" | "OLD"; at: string | null } | null;
};
export type MovesPage = {
  ref: string;
  zone: string;
  counts: {
    moves: number;
    stay: number /** Of those that stay: what a fact stands against, or somebody chose. */;
    affected: number;
    unplaced: number;
  };
  /** Of an applied run: its messages, and those that were sent. */
  told: { sent: number; all: number } | null;
  moves: MoveView[];
  next: number | null;
};

export type WindowCount = { count: number; lastHour: number; bars: number[] };
export type PlanningCounts = {
  /** In 24 h. */
  applied: WindowCount;
  /** Open now, and how often in 24 h. */
  stale: WindowCount & { in24h: number };
  /** Clinics in review now. */
  degraded: WindowCount & { since: string | null };
  needsDecision: number;
  waiting: number;
  /** Dates that one calculation covers at most. */
  daysMax: number;
  asOf: string;
};
