// Words of every code of the drills' catalogue: a new step or invariant does not compile until it has both languages.

import type { Glyph } from "@/app/_components/icon";
import type { Family } from "@/app/_components/state-dictionary";
import type { MessageKey } from "@/app/_i18n/messages";
import type { DrillName, InvariantCode, StepCode } from "@/server/domain/drills/catalog";
import type { WhyNoDrill } from "@/server/domain/drills/next-actions";
import type { DrillReason, DrillState } from "@/server/domain/drills/types";

export type ShownState = DrillState | "NEVER";
export const drillStates: Record<ShownState, { glyph: Glyph; family: Family; label: MessageKey }> = {
  REQUESTED: { glyph: "wait", family: "plan", label: "drill.state.REQUESTED" },
  RUNNING: { glyph: "run", family: "plan", label: "drill.state.RUNNING" },
  PASSED: { glyph: "done", family: "done", label: "drill.state.PASSED" },
  FAILED: { glyph: "fail", family: "hold", label: "drill.state.FAILED" },
  CANCELLED: { glyph: "x", family: "off", label: "drill.state.CANCELLED" },
  NEVER: { glyph: "await", family: "off", label: "drill.state.NEVER" },
};

export const sentences: Record<DrillState, MessageKey> = {
  REQUESTED: "drill.sentence.REQUESTED",
  RUNNING: "drill.sentence.RUNNING",
  PASSED: "drill.sentence.PASSED",
  FAILED: "drill.sentence.FAILED",
  CANCELLED: "drill.sentence.CANCELLED",
};

export const drillWords: Record<DrillName, { what: MessageKey; without: MessageKey }> = {
  "poison-event": { what: "drill.what.poisonEvent", without: "drill.without.poisonEvent" },
  "schema-mismatch": { what: "drill.what.schemaMismatch", without: "drill.without.schemaMismatch" },
  "replay-killed": { what: "drill.what.replayKilled", without: "drill.without.replayKilled" },
  "lease-lost": { what: "drill.what.leaseLost", without: "drill.without.leaseLost" },
  "double-click": { what: "drill.what.doubleClick", without: "drill.without.doubleClick" },
  "stale-result": { what: "drill.what.staleResult", without: "drill.without.staleResult" },
  "competing-plans": { what: "drill.what.competingPlans", without: "drill.without.competingPlans" },
  "solver-killed": { what: "drill.what.solverKilled", without: "drill.without.solverKilled" },
  "fact-writer-in-flight": { what: "drill.what.factWriterInFlight", without: "drill.without.factWriterInFlight" },
  "broker-down": { what: "drill.what.brokerDown", without: "drill.without.brokerDown" },
  "db-restart": { what: "drill.what.dbRestart", without: "drill.without.dbRestart" },
  "relay-killed": { what: "drill.what.relayKilled", without: "drill.without.relayKilled" },
};

export const stepWords: Record<StepCode, MessageKey> = {
  publish: "drill.step.publish",
  consume: "drill.step.consume",
  retryToLimit: "drill.step.retryToLimit",
  redeliver: "drill.step.redeliver",
  stopAll: "drill.step.stopAll",
  approve: "drill.step.approve",
  killRunner: "drill.step.killRunner",
  holdPastLease: "drill.step.holdPastLease",
  takeOver: "drill.step.takeOver",
  claimByA: "drill.step.claimByA",
  lateWrite: "drill.step.lateWrite",
  approveAtOnce: "drill.step.approveAtOnce",
  askForSame: "drill.step.askForSame",
  runJob: "drill.step.runJob",
  makeClinic: "drill.step.makeClinic",
  calculate: "drill.step.calculate",
  changeFact: "drill.step.changeFact",
  apply: "drill.step.apply",
  recalculate: "drill.step.recalculate",
  calculateTwo: "drill.step.calculateTwo",
  applyAtOnce: "drill.step.applyAtOnce",
  killSolver: "drill.step.killSolver",
  holdFact: "drill.step.holdFact",
  applyMeanwhile: "drill.step.applyMeanwhile",
  commitFact: "drill.step.commitFact",
  startProduct: "drill.step.startProduct",
  book: "drill.step.book",
  stopLog: "drill.step.stopLog",
  bookMeanwhile: "drill.step.bookMeanwhile",
  startLog: "drill.step.startLog",
  stopDatabase: "drill.step.stopDatabase",
  startDatabase: "drill.step.startDatabase",
  killRelay: "drill.step.killRelay",
  catchUp: "drill.step.catchUp",
  checkAll: "drill.step.checkAll",
};

export const invariantWords: Record<InvariantCode, MessageKey> = {
  stoppedAtLimit: "drill.holds.stoppedAtLimit",
  poisonHasNoEffect: "drill.holds.poisonHasNoEffect",
  neighbourDoneOnce: "drill.holds.neighbourDoneOnce",
  successorWaits: "drill.holds.successorWaits",
  taskOpened: "drill.holds.taskOpened",
  outOfLiveCounts: "drill.holds.outOfLiveCounts",
  stoppedAtOnce: "drill.holds.stoppedAtOnce",
  handlerNotAsked: "drill.holds.handlerNotAsked",
  receiptAddsUp: "drill.holds.receiptAddsUp",
  eachDoneOnce: "drill.holds.eachDoneOnce",
  takeOverAudited: "drill.holds.takeOverAudited",
  offsetsUnmoved: "drill.holds.offsetsUnmoved",
  effectOnce: "drill.holds.effectOnce",
  lateChangedNothing: "drill.holds.lateChangedNothing",
  attemptsAndFences: "drill.holds.attemptsAndFences",
  approvedOnce: "drill.holds.approvedOnce",
  sameJobForAll: "drill.holds.sameJobForAll",
  secondRequestSentToFirst: "drill.holds.secondRequestSentToFirst",
  refusedAsStale: "drill.holds.refusedAsStale",
  nothingWritten: "drill.holds.nothingWritten",
  recalculationApplied: "drill.holds.recalculationApplied",
  oneApplied: "drill.holds.oneApplied",
  movedOnce: "drill.holds.movedOnce",
  calculatedOnce: "drill.holds.calculatedOnce",
  factSeen: "drill.holds.factSeen",
  bookingsAccepted: "drill.holds.bookingsAccepted",
  noAttemptUsed: "drill.holds.noAttemptUsed",
  nothingLost: "drill.holds.nothingLost",
  recordsHold: "drill.holds.recordsHold",
  processesStayed: "drill.holds.processesStayed",
  answeredAlike: "drill.holds.answeredAlike",
  publishedAgain: "drill.holds.publishedAgain",
};

export const reasonWords: Record<DrillReason, MessageKey> = {
  INVARIANT_BROKEN: "drill.reason.INVARIANT_BROKEN",
  STEP_FAILED: "drill.reason.STEP_FAILED",
  NOT_CHECKED: "drill.reason.NOT_CHECKED",
  STOPPED_BY_STAFF: "drill.reason.STOPPED_BY_STAFF",
  RUNNER_LOST: "drill.reason.RUNNER_LOST",
};

export const whyWords: Record<WhyNoDrill | "OFFLINE", MessageKey> = {
  RIGHT_MISSING: "drill.why.RIGHT_MISSING",
  COMMAND_LINE_ONLY: "drill.why.COMMAND_LINE_ONLY",
  ANOTHER_RUNS: "drill.why.ANOTHER_RUNS",
  NOT_RUNNING: "drill.why.NOT_RUNNING",
  STOP_WISHED: "drill.why.STOP_WISHED",
  OFFLINE: "drill.why.OFFLINE",
};
