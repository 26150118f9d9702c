import type { Glyph } from "@/app/_components/icon";
import type { Family } from "@/app/_components/state-dictionary";
import type { MessageKey } from "@/app/_i18n/messages";
import type { Check, RecordPlace } from "@/server/domain/replay/checks";
import type { ReplayOutcome, ReplayState } from "@/server/domain/replay/types";

type Word = { glyph: Glyph; family: Family; label: MessageKey; meaning: MessageKey };

/** Words and glyph of a job's state. A new state does not compile until it stands here. */
export const jobStates: Record<ReplayState, Word> = {
  PREVIEWED: { glyph: "eye", family: "plan", label: "replay.state.PREVIEWED", meaning: "replay.meaning.PREVIEWED" },
  AWAITING_SECOND: { glyph: "users", family: "wait", label: "replay.state.AWAITING_SECOND", meaning: "replay.meaning.AWAITING_SECOND" },
  QUEUED: { glyph: "plan", family: "plan", label: "replay.state.QUEUED", meaning: "replay.meaning.QUEUED" },
  RUNNING: { glyph: "run", family: "plan", label: "replay.state.RUNNING", meaning: "replay.meaning.RUNNING" },
  PAUSED: { glyph: "pause", family: "wait", label: "replay.state.PAUSED", meaning: "replay.meaning.PAUSED" },
  COMPLETED: { glyph: "done", family: "done", label: "replay.state.COMPLETED", meaning: "replay.meaning.COMPLETED" },
  NEEDS_ACTION: { glyph: "warn", family: "wait", label: "replay.state.NEEDS_ACTION", meaning: "replay.meaning.NEEDS_ACTION" },
  INCOMPLETE: { glyph: "warn", family: "wait", label: "replay.state.INCOMPLETE", meaning: "replay.meaning.INCOMPLETE" },
  CANCELLED: { glyph: "x", family: "off", label: "replay.state.CANCELLED", meaning: "replay.meaning.CANCELLED" },
  EXPIRED: { glyph: "clock", family: "off", label: "replay.state.EXPIRED", meaning: "replay.meaning.EXPIRED" },
};

/** The lines of a receipt, in its order; `row`: what it means for a replay of one row, with the next action. */
export const outcomes: Record<ReplayOutcome, Word & { row: MessageKey }> = {
  PROCESSED: {
    glyph: "done",
    family: "done",
    label: "replay.outcome.PROCESSED",
    meaning: "replay.outcomeMeans.PROCESSED",
    row: "replay.rowEnd.PROCESSED",
  },
  DUPLICATE: {
    glyph: "reuse",
    family: "reuse",
    label: "replay.outcome.DUPLICATE",
    meaning: "replay.outcomeMeans.DUPLICATE",
    row: "replay.rowEnd.DUPLICATE",
  },
  RETRYABLE: {
    glyph: "wait",
    family: "wait",
    label: "replay.outcome.RETRYABLE",
    meaning: "replay.outcomeMeans.RETRYABLE",
    row: "replay.rowEnd.RETRYABLE",
  },
  QUARANTINED: {
    glyph: "hold",
    family: "hold",
    label: "replay.outcome.QUARANTINED",
    meaning: "replay.outcomeMeans.QUARANTINED",
    row: "replay.rowEnd.QUARANTINED",
  },
  SKIPPED: {
    glyph: "minus",
    family: "off",
    label: "replay.outcome.SKIPPED",
    meaning: "replay.outcomeMeans.SKIPPED",
    row: "replay.rowEnd.SKIPPED",
  },
  NOT_REACHED: {
    glyph: "na",
    family: "off",
    label: "replay.outcome.NOT_REACHED",
    meaning: "replay.outcomeMeans.NOT_REACHED",
    row: "replay.rowEnd.NOT_REACHED",
  },
};

export const checkNames: Record<Check["name"], MessageKey> = {
  SCOPE: "replay.check.SCOPE",
  REQUEST_BOUND: "replay.check.REQUEST_BOUND",
  ORIGINAL_CONSUMER: "replay.check.ORIGINAL_CONSUMER",
  STATE: "replay.check.STATE",
  OUTCOME_RECORDED: "replay.check.OUTCOME_RECORDED",
};

/** `mark`: class of the line. */
export const checkResults: Record<Check["result"], { glyph: Glyph; word: MessageKey; mark: string }> = {
  PASS: { glyph: "pass", word: "replay.result.PASS", mark: "p" },
  FAIL: { glyph: "fail", word: "replay.result.FAIL", mark: "f" },
  UNKNOWN: { glyph: "warn", word: "replay.result.UNKNOWN", mark: "u" },
  DOES_NOT_APPLY: { glyph: "na", word: "replay.result.DOES_NOT_APPLY", mark: "n" },
};

export const checkWhy: Record<NonNullable<Check["why"]>, MessageKey> = {
  OTHER_SCOPE: "replay.why.OTHER_SCOPE",
  NOT_BOUND: "replay.why.NOT_BOUND",
  OTHER_RANGE: "replay.why.OTHER_RANGE",
  OTHER_LOG: "replay.why.OTHER_LOG",
  PREVIEW_OVER: "replay.why.PREVIEW_OVER",
  NOT_ASKED_FOR: "replay.why.NOT_ASKED_FOR",
  AUDIT_NOT_READ: "replay.why.AUDIT_NOT_READ",
  OTHER_CONSUMER: "replay.why.OTHER_CONSUMER",
  ALREADY_PROCESSED: "replay.why.ALREADY_PROCESSED",
  BEING_PROCESSED: "replay.why.BEING_PROCESSED",
  NOT_DUE: "replay.why.NOT_DUE",
  BEHIND_ANOTHER: "replay.why.BEHIND_ANOTHER",
  ALL_CHANGED: "replay.why.ALL_CHANGED",
  SOME_CHANGED: "replay.why.SOME_CHANGED",
  ROWS_NOT_READ: "replay.why.ROWS_NOT_READ",
  NOT_WRITABLE: "replay.why.NOT_WRITABLE",
  NOT_PROBED: "replay.why.NOT_PROBED",
};

/** Where the end of a record is written down. */
export const recordPlaceWords: Record<RecordPlace, MessageKey> = {
  AUDIT: "replay.place.AUDIT",
  ITEMS: "replay.place.ITEMS",
  RECEIPT: "replay.place.RECEIPT",
};

/** What stood in the way of an act, as a half sentence behind "Replay is off:". */
export const failedWords: Record<string, MessageKey> = {
  SCOPE: "replay.failed.SCOPE",
  REQUEST_BOUND: "replay.failed.REQUEST_BOUND",
  ORIGINAL_CONSUMER: "replay.failed.ORIGINAL_CONSUMER",
  STATE: "replay.failed.STATE",
  OUTCOME_RECORDED: "replay.failed.OUTCOME_RECORDED",
  DIGEST_DIFFERS: "replay.failed.DIGEST_DIFFERS",
  PREVIEW_OVER: "replay.failed.PREVIEW_OVER",
  ALREADY_OPEN: "replay.failed.ALREADY_OPEN",
  NOTHING_TO_REPLAY: "replay.failed.NOTHING_TO_REPLAY",
  SAME_PERSON: "replay.failed.SAME_PERSON",
  NOT_AWAITED: "replay.failed.NOT_AWAITED",
  APPROVAL_OVER: "replay.failed.APPROVAL_OVER",
  PAUSE_NOT_ALLOWED: "replay.failed.PAUSE_NOT_ALLOWED",
  RESUME_NOT_ALLOWED: "replay.failed.RESUME_NOT_ALLOWED",
  CANCEL_NOT_ALLOWED: "replay.failed.CANCEL_NOT_ALLOWED",
};
