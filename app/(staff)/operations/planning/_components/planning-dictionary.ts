import type { MessageKey } from "@/app/_i18n/messages";
import type { AnsweredQuestion, PlanningQuestion, PlanningTile, Signal, Unread } from "@/server/domain/operations/planning-types";
import type { PlanningAction, WhyNoPlanning } from "@/server/domain/planning/next-actions";
import type { FactGroup } from "@/server/domain/planning/snapshot/types";
import type { Levels, SolvePhase } from "@/server/domain/planning/solver/types";
import type { PlanningReason } from "@/server/domain/planning/states";
import type { ApplyStep, PlanningState, StaleKind } from "@/server/domain/planning/types";

// Every word is a MessageKey and every record is over a union of the domain: a new state, step or action does not compile until it has a word.

export const tileStates: Record<PlanningTile, "APPLIED" | "STALE_REJECTED" | "DEGRADED_REVIEW"> = {
  APPLIED: "APPLIED",
  STALE_REJECTED: "STALE_REJECTED",
  DEGRADED: "DEGRADED_REVIEW",
};

export const factGroupWords: Record<FactGroup, MessageKey> = {
  clinic: "planning.facts.clinic",
  doctors: "planning.facts.doctors",
  equipment: "planning.facts.equipment",
  closures: "planning.facts.closures",
  slots: "planning.facts.slots",
};

/** Second line of a run's state: what it means for the appointments. */
export const effectWords: Record<PlanningState, MessageKey> = {
  REQUESTED: "planning.effect.REQUESTED",
  CALCULATING: "planning.effect.CALCULATING",
  CALCULATED: "planning.effect.CALCULATED",
  APPLIED: "planning.effect.APPLIED",
  STALE_REJECTED: "planning.effect.STALE_REJECTED",
  RETRYABLE: "planning.effect.RETRYABLE",
  DISCARDED: "planning.effect.DISCARDED",
  FAILED: "planning.effect.FAILED",
};

/** Sentence of an open run's panel. */
export const sentenceWords: Record<PlanningState, MessageKey> = {
  REQUESTED: "planning.sentence.REQUESTED",
  CALCULATING: "planning.sentence.CALCULATING",
  CALCULATED: "planning.sentence.CALCULATED",
  APPLIED: "planning.sentence.APPLIED",
  STALE_REJECTED: "planning.sentence.STALE_REJECTED",
  RETRYABLE: "planning.sentence.RETRYABLE",
  DISCARDED: "planning.sentence.DISCARDED",
  FAILED: "planning.sentence.FAILED",
};

export const staleWords: Record<StaleKind, MessageKey> = {
  FACTS: "planning.stale.FACTS",
  VERSIONS: "planning.stale.VERSIONS",
  CAPACITY: "planning.stale.CAPACITY",
  TIME: "planning.stale.TIME",
};

/** Why discarding and calculating anew is the safe act, by what was refused. */
export const recalculateWords: Record<StaleKind, MessageKey> = {
  FACTS: "planning.recalculate.FACTS",
  VERSIONS: "planning.recalculate.VERSIONS",
  CAPACITY: "planning.recalculate.CAPACITY",
  TIME: "planning.recalculate.TIME",
};

export const endedWords: Record<PlanningReason, MessageKey> = {
  DISCARDED: "planning.ended.DISCARDED",
  CANCELLED: "planning.ended.CANCELLED",
  RECALCULATED: "planning.ended.RECALCULATED",
  SOLVER_LOST: "planning.ended.SOLVER_LOST",
  SOLVER_FAILED: "planning.ended.SOLVER_FAILED",
  CLINIC_GONE: "planning.ended.CLINIC_GONE",
};
/** A reason of a later release is shown as its code. */
export const endedWord = (reason: string | null): MessageKey | undefined => (reason ? endedWords[reason as PlanningReason] : undefined);

export const actionWords: Record<PlanningAction, MessageKey> = {
  apply: "planning.action.apply",
  applyPart: "planning.action.applyPart",
  discard: "planning.action.discard",
  recalculate: "planning.action.recalculate",
  cancel: "planning.action.cancel",
};
/** What stands on the row once the server has confirmed the act. */
export const doneWords: Record<PlanningAction, MessageKey> = {
  apply: "planning.done.apply",
  applyPart: "planning.done.applyPart",
  discard: "planning.done.discard",
  recalculate: "planning.done.recalculate",
  cancel: "planning.done.cancel",
};

export const whyWords: Record<WhyNoPlanning, MessageKey> = {
  RIGHT_MISSING: "planning.why.RIGHT_MISSING",
  NOT_CALCULATED: "planning.why.NOT_CALCULATED",
  STALE: "planning.why.STALE",
  NOTHING_MOVES: "planning.why.NOTHING_MOVES",
  NO_PART: "planning.why.NO_PART",
  ENDED: "planning.why.ENDED",
  NOT_RUNNING: "planning.why.NOT_RUNNING",
  STILL_RUNNING: "planning.why.STILL_RUNNING",
  CANCEL_WISHED: "planning.why.CANCEL_WISHED",
};

/** A sentence for each refusal that an act can meet, by its stable code. */
export const problemWords: Record<string, MessageKey> = {
  "row-stale": "act.problem.rowStale",
  "version-stale": "act.problem.rowStale",
  "action-not-allowed": "act.problem.notAllowed",
  "right-missing": "problem.rightMissing",
  "not-found": "problem.notFound",
  "signed-out": "problem.signedOut",
  "request-invalid": "problem.requestInvalid",
};

/** Steps of an apply as they are drawn. Facts are reloaded and compared under the lock; the compare-and-set writes. */
export const stepWords = {
  SCOPE: "planning.step.SCOPE",
  RELOAD: "planning.step.RELOAD",
  FACTS: "planning.step.FACTS",
  ROWS: "planning.step.ROWS",
  CAS: "planning.step.CAS",
} as const satisfies Record<string, MessageKey>;
export const drawnSteps = Object.keys(stepWords) as (keyof typeof stepWords)[];
/** Which drawn step an apply got to, from 0. */
const places: Record<ApplyStep, number> = { SCOPE: 0, FACTS: 2, ROWS: 3, CAS: 4, WRITE: 4, DONE: 5 };
export const stepOf = (step: ApplyStep): number => places[step];

export const phaseWords: Record<SolvePhase, MessageKey> = {
  construct: "planning.phase.construct",
  search: "planning.phase.search",
  bound: "planning.phase.bound",
  prove: "planning.phase.prove",
  polish: "planning.phase.polish",
};

/** Parts of the score, from the weightiest down. */
export const levelWords: Record<keyof Levels, MessageKey> = {
  unassigned: "planning.level.unassigned",
  toldMoved: "planning.level.toldMoved",
  untoldMoved: "planning.level.untoldMoved",
  doctorChanged: "planning.level.doctorChanged",
  daysMoved: "planning.level.daysMoved",
  quartersMoved: "planning.level.quartersMoved",
  wishesMissed: "planning.level.wishesMissed",
  loadPairs: "planning.level.loadPairs",
  idleMinutes: "planning.level.idleMinutes",
};

export const questionWords: Record<PlanningQuestion, MessageKey> = {
  SCOPE: "planning.question.SCOPE",
  VERSIONS: "planning.question.VERSIONS",
  ROLLED_BACK: "planning.question.ROLLED_BACK",
  POLICY: "planning.question.POLICY",
  NOTIFICATION: "planning.question.NOTIFICATION",
};
export const answerWords: Record<AnsweredQuestion["answer"], MessageKey> = {
  YES: "planning.answer.YES",
  YES_EQUAL: "planning.answer.YES_EQUAL",
  YES_DIFFER: "planning.answer.YES_DIFFER",
  NO_CAS_FAILED: "planning.answer.NO_CAS_FAILED",
  YES_ROLLED_BACK: "planning.answer.YES_ROLLED_BACK",
  NOT_YET: "planning.answer.NOT_YET",
  NOT_A_CALCULATION: "planning.answer.NOT_A_CALCULATION",
  NOT_A_POLICY: "planning.answer.NOT_A_POLICY",
  NOT_A_NOTIFICATION: "planning.answer.NOT_A_NOTIFICATION",
  MISSING: "planning.answer.MISSING",
};
export const unreadWords: Record<Unread, MessageKey> = {
  CURRENT_VERSION: "planning.unread.CURRENT_VERSION",
  ATTEMPT: "planning.unread.ATTEMPT",
  CIRCUIT: "planning.unread.CIRCUIT",
  RETENTION: "planning.unread.RETENTION",
  TICKS: "planning.unread.TICKS",
};

export const signalWords: Record<Signal["signal"], MessageKey> = {
  CIRCUIT: "planning.signal.CIRCUIT",
  BACKLOG: "planning.signal.BACKLOG",
  GIVEN_UP: "planning.signal.GIVEN_UP",
  DISPATCH: "planning.signal.DISPATCH",
  REMINDERS: "planning.signal.REMINDERS",
  RETENTION: "planning.signal.RETENTION",
};

/** Verb of a changed fact. */
export const changeWords: Record<"ADDED" | "CHANGED" | "REMOVED", MessageKey> = {
  ADDED: "planning.change.ADDED",
  CHANGED: "planning.change.CHANGED",
  REMOVED: "planning.change.REMOVED",
};

/** What a table of facts holds, in the words of the desk. */
const facts: Record<string, MessageKey> = {
  clinics: "planning.fact.clinics",
  holidays: "planning.fact.holidays",
  planning_weights: "planning.fact.weights",
  doctors: "planning.fact.doctors",
  doctor_hours: "planning.fact.doctorHours",
  absences: "planning.fact.absences",
  equipment: "planning.fact.equipment",
  resources: "planning.fact.resources",
  resource_outages: "planning.fact.outages",
  treatment_needs: "planning.fact.needs",
  treatment_need_options: "planning.fact.needs",
  closures: "planning.fact.closures",
  breaks: "planning.fact.breaks",
  clinic_hours: "planning.fact.clinicHours",
  treatments: "planning.fact.treatments",
};
export const factWord = (table: string): MessageKey => facts[table] ?? "planning.fact.other";

/** Why a visit moves. */
const moves: Record<string, MessageKey> = {
  REQUESTED: "planning.moves.REQUESTED",
  PENDING_RESCHEDULE: "planning.moves.PENDING_RESCHEDULE",
  CHOSEN: "planning.moves.CHOSEN",
  MAKES_ROOM: "planning.moves.MAKES_ROOM",
  OUTSIDE_HOURS: "planning.moves.OUTSIDE_HOURS",
  OFF_GRID: "planning.moves.OFF_GRID",
  CLOSED: "planning.moves.CLOSED",
  HOLIDAY: "planning.moves.HOLIDAY",
  BREAK: "planning.moves.BREAK",
  DOCTOR_ABSENT: "planning.moves.DOCTOR_ABSENT",
  OUTSIDE_SHIFT: "planning.moves.OUTSIDE_SHIFT",
  DOCTOR_TAKEN: "planning.moves.TAKEN",
  EQUIPMENT_OUT: "planning.moves.EQUIPMENT_OUT",
  EQUIPMENT_TAKEN: "planning.moves.TAKEN",
  CLINIC_FULL: "planning.moves.CLINIC_FULL",
  PATIENT_TAKEN: "planning.moves.PATIENT_TAKEN",
  IN_THE_PAST: "planning.moves.IN_THE_PAST",
};
export const moveWord = (code: string): MessageKey => moves[code] ?? "planning.moves.other";
