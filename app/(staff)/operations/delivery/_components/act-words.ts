import type { MessageKey } from "@/app/_i18n/messages";
import type { DeliveryAction, Obstacle, WhyNot } from "@/server/domain/inbox/next-actions";

/** Verb and object of each action, as buttons and menus say it. */
export const actionWords: Record<DeliveryAction, MessageKey> = {
  readResult: "next.readResult",
  scheduleRetry: "next.scheduleRetry",
  reviewReplay: "next.reviewReplay",
  keepQuarantined: "next.keepQuarantined",
  retryPublish: "next.retryPublish",
  skipPublish: "next.skipPublish",
  releaseSequence: "next.releaseSequence",
  assign: "next.assign",
  handOver: "next.handOver",
  addNote: "next.addNote",
};

/** What stands on the row once the server has confirmed the act. */
export const doneWords: Record<DeliveryAction, MessageKey> = {
  readResult: "next.readResult",
  scheduleRetry: "act.done.scheduleRetry",
  reviewReplay: "next.reviewReplay",
  keepQuarantined: "act.done.keepQuarantined",
  retryPublish: "act.done.retryPublish",
  skipPublish: "act.done.skipPublish",
  releaseSequence: "act.done.releaseSequence",
  assign: "act.done.assign",
  handOver: "act.done.handOver",
  addNote: "act.done.addNote",
};

export const whyWords: Record<WhyNot, MessageKey> = {
  RIGHT_MISSING: "act.why.RIGHT_MISSING",
  LIVE_LEASE: "act.why.LIVE_LEASE",
  TAKE_OVER_DUE: "act.why.TAKE_OVER_DUE",
  REPLAY_RUNNING: "act.why.REPLAY_RUNNING",
  BLOCKED: "act.why.BLOCKED",
  NOT_DUE: "act.why.NOT_DUE",
  ALREADY_SETTLED: "act.why.ALREADY_SETTLED",
  NOT_SETTLED: "act.why.NOT_SETTLED",
  NEEDS_REPLAY: "act.why.NEEDS_REPLAY",
  NOT_STOPPED: "act.why.NOT_STOPPED",
  ALREADY_KEPT: "act.why.ALREADY_KEPT",
  NOTHING_WAITS: "act.why.NOTHING_WAITS",
  ALREADY_YOURS: "act.why.ALREADY_YOURS",
  NOT_YOURS: "act.why.NOT_YOURS",
  OTHER_BOUNDARY: "act.why.OTHER_BOUNDARY",
};

/** The facts that a reason speaks of; `until` is a clock time that the caller has formatted. */
export const whyValues = (obstacle: Obstacle, until: string) => ({
  right: obstacle.right ?? "",
  owner: obstacle.owner ?? "",
  until,
  request: obstacle.requestId?.slice(0, 8) ?? "",
});

/** A sentence for each refusal that an act can meet, by its stable code. */
export const actProblemWords: Record<string, MessageKey> = {
  "row-stale": "act.problem.rowStale",
  "action-not-allowed": "act.problem.notAllowed",
  "right-missing": "problem.rightMissing",
  "not-found": "problem.notFound",
  "signed-out": "problem.signedOut",
  "subject-invalid": "act.problem.subjectInvalid",
  "request-invalid": "problem.requestInvalid",
};
