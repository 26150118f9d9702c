// Words, glyph, colour family and next action of every state. The glyph is fixed: the same state looks the same in tile, row, pill and
// calendar. `Record<State, …>` over the unions of the domain: a new state does not compile until it stands here, and messages.test.ts
// fails until it has both languages.
import type { Glyph } from "@/app/_components/icon";
import type { MessageKey } from "@/app/_i18n/messages";
import type { AppointmentState } from "@/server/domain/appointments/states";
import type { AuditResult } from "@/server/domain/audit/append-audit-entry";
import type { DeliveryOutcome, InboxState } from "@/server/domain/inbox/states";
import type { IntentState } from "@/server/domain/notifications/states";
import type { PlanningRowState } from "@/server/domain/operations/planning-types";
import type { OutboxState } from "@/server/domain/outbox/states";

export type Family = "done" | "reuse" | "wait" | "hold" | "stale" | "plan" | "off";
export type StateEntry = { glyph: Glyph; family: Family; label: MessageKey; meaning: MessageKey; next: MessageKey };

/** Row states of the inbox, the outcomes that only a delivery has, and the reason that looks like a state of its own. */
export type DeliveryState = InboxState | DeliveryOutcome | "BLOCKED_BY";

export const deliveryStates: Record<DeliveryState, StateEntry> = {
  PROCESSING: {
    glyph: "run",
    family: "plan",
    label: "state.delivery.PROCESSING.label",
    meaning: "state.delivery.PROCESSING.meaning",
    next: "next.waitForLease",
  },
  PROCESSED: {
    glyph: "done",
    family: "done",
    label: "state.delivery.PROCESSED.label",
    meaning: "state.delivery.PROCESSED.meaning",
    next: "next.readResult",
  },
  DUPLICATE: {
    glyph: "reuse",
    family: "reuse",
    label: "state.delivery.DUPLICATE.label",
    meaning: "state.delivery.DUPLICATE.meaning",
    next: "next.readResult",
  },
  RETRYABLE: {
    glyph: "wait",
    family: "wait",
    label: "state.delivery.RETRYABLE.label",
    meaning: "state.delivery.RETRYABLE.meaning",
    next: "next.scheduleRetry",
  },
  QUARANTINED: {
    glyph: "hold",
    family: "hold",
    label: "state.delivery.QUARANTINED.label",
    meaning: "state.delivery.QUARANTINED.meaning",
    next: "next.reviewReplay",
  },
  BLOCKED_BY: {
    glyph: "wait",
    family: "wait",
    label: "state.delivery.BLOCKED_BY.label",
    meaning: "state.delivery.BLOCKED_BY.meaning",
    next: "next.openBlocker",
  },
  FENCED: {
    glyph: "fenced",
    family: "reuse",
    label: "state.delivery.FENCED.label",
    meaning: "state.delivery.FENCED.meaning",
    next: "next.none",
  },
};

export const outboxStates: Record<OutboxState, StateEntry> = {
  PENDING: {
    glyph: "wait",
    family: "plan",
    label: "state.outbox.PENDING.label",
    meaning: "state.outbox.PENDING.meaning",
    next: "next.none",
  },
  CLAIMED: {
    glyph: "run",
    family: "plan",
    label: "state.outbox.CLAIMED.label",
    meaning: "state.outbox.CLAIMED.meaning",
    next: "next.none",
  },
  PUBLISHED: {
    glyph: "done",
    family: "done",
    label: "state.outbox.PUBLISHED.label",
    meaning: "state.outbox.PUBLISHED.meaning",
    next: "next.readResult",
  },
  FAILED: {
    glyph: "fail",
    family: "hold",
    label: "state.outbox.FAILED.label",
    meaning: "state.outbox.FAILED.meaning",
    next: "next.retryOrSkip",
  },
  SKIPPED: {
    glyph: "x",
    family: "off",
    label: "state.outbox.SKIPPED.label",
    meaning: "state.outbox.SKIPPED.meaning",
    next: "next.readResult",
  },
};

export const notificationStates: Record<IntentState, StateEntry> = {
  PENDING: {
    glyph: "wait",
    family: "plan",
    label: "state.notification.PENDING.label",
    meaning: "state.notification.PENDING.meaning",
    next: "next.none",
  },
  SENDING: {
    glyph: "run",
    family: "plan",
    label: "state.notification.SENDING.label",
    meaning: "state.notification.SENDING.meaning",
    next: "next.none",
  },
  SENT: {
    glyph: "done",
    family: "done",
    label: "state.notification.SENT.label",
    meaning: "state.notification.SENT.meaning",
    next: "next.readResult",
  },
  SUPPRESSED: {
    glyph: "reuse",
    family: "reuse",
    label: "state.notification.SUPPRESSED.label",
    meaning: "state.notification.SUPPRESSED.meaning",
    next: "next.readResult",
  },
  RETRY_WAIT: {
    glyph: "wait",
    family: "wait",
    label: "state.notification.RETRY_WAIT.label",
    meaning: "state.notification.RETRY_WAIT.meaning",
    next: "next.openEvidence",
  },
  UNKNOWN: {
    glyph: "warn",
    family: "wait",
    label: "state.notification.UNKNOWN.label",
    meaning: "state.notification.UNKNOWN.meaning",
    next: "next.openEvidence",
  },
  EXHAUSTED: {
    glyph: "hold",
    family: "hold",
    label: "state.notification.EXHAUSTED.label",
    meaning: "state.notification.EXHAUSTED.meaning",
    next: "next.openEvidence",
  },
};

export const appointmentStates: Record<AppointmentState, StateEntry> = {
  REQUESTED: {
    glyph: "await",
    family: "plan",
    label: "state.appointment.REQUESTED.label",
    meaning: "state.appointment.REQUESTED.meaning",
    next: "next.confirm",
  },
  CONFIRMED: {
    glyph: "clock",
    family: "plan",
    label: "state.appointment.CONFIRMED.label",
    meaning: "state.appointment.CONFIRMED.meaning",
    next: "next.checkIn",
  },
  CHECKED_IN: {
    glyph: "user",
    family: "done",
    label: "state.appointment.CHECKED_IN.label",
    meaning: "state.appointment.CHECKED_IN.meaning",
    next: "next.start",
  },
  IN_PROGRESS: {
    glyph: "run",
    family: "plan",
    label: "state.appointment.IN_PROGRESS.label",
    meaning: "state.appointment.IN_PROGRESS.meaning",
    next: "next.complete",
  },
  COMPLETED: {
    glyph: "done",
    family: "done",
    label: "state.appointment.COMPLETED.label",
    meaning: "state.appointment.COMPLETED.meaning",
    next: "next.none",
  },
  NO_SHOW: {
    glyph: "x",
    family: "off",
    label: "state.appointment.NO_SHOW.label",
    meaning: "state.appointment.NO_SHOW.meaning",
    next: "next.none",
  },
  PENDING_RESCHEDULE: {
    glyph: "warn",
    family: "wait",
    label: "state.appointment.PENDING_RESCHEDULE.label",
    meaning: "state.appointment.PENDING_RESCHEDULE.meaning",
    next: "next.setNewTime",
  },
  CANCELLED: {
    glyph: "x",
    family: "off",
    label: "state.appointment.CANCELLED.label",
    meaning: "state.appointment.CANCELLED.meaning",
    next: "next.none",
  },
};

/** A run's own states, and the review that is derived: what cannot be judged yet. */
export const planningStates: Record<PlanningRowState, StateEntry> = {
  REQUESTED: {
    glyph: "run",
    family: "plan",
    label: "state.planning.REQUESTED.label",
    meaning: "state.planning.REQUESTED.meaning",
    next: "next.watchOrCancel",
  },
  CALCULATING: {
    glyph: "run",
    family: "plan",
    label: "state.planning.CALCULATING.label",
    meaning: "state.planning.CALCULATING.meaning",
    next: "next.watchOrCancel",
  },
  CALCULATED: {
    glyph: "ready",
    family: "plan",
    label: "state.planning.CALCULATED.label",
    meaning: "state.planning.CALCULATED.meaning",
    next: "next.applyOrDiscard",
  },
  APPLIED: {
    glyph: "done",
    family: "done",
    label: "state.planning.APPLIED.label",
    meaning: "state.planning.APPLIED.meaning",
    next: "next.openResult",
  },
  STALE_REJECTED: {
    glyph: "stale",
    family: "stale",
    label: "state.planning.STALE_REJECTED.label",
    meaning: "state.planning.STALE_REJECTED.meaning",
    next: "next.discardAndRecalculate",
  },
  RETRYABLE: {
    glyph: "wait",
    family: "wait",
    label: "state.planning.RETRYABLE.label",
    meaning: "state.planning.RETRYABLE.meaning",
    next: "next.inspectRetry",
  },
  DISCARDED: {
    glyph: "x",
    family: "off",
    label: "state.planning.DISCARDED.label",
    meaning: "state.planning.DISCARDED.meaning",
    next: "next.openNewerRun",
  },
  FAILED: {
    glyph: "fail",
    family: "hold",
    label: "state.planning.FAILED.label",
    meaning: "state.planning.FAILED.meaning",
    next: "next.investigate",
  },
  DEGRADED_REVIEW: {
    glyph: "warn",
    family: "wait",
    label: "state.planning.DEGRADED_REVIEW.label",
    meaning: "state.planning.DEGRADED_REVIEW.meaning",
    next: "next.openHealth",
  },
};

export const auditResults: Record<AuditResult, StateEntry> = {
  DONE: { glyph: "done", family: "done", label: "state.audit.DONE.label", meaning: "state.audit.DONE.meaning", next: "next.openEvidence" },
  REFUSED: {
    glyph: "lock",
    family: "hold",
    label: "state.audit.REFUSED.label",
    meaning: "state.audit.REFUSED.meaning",
    next: "next.openEvidence",
  },
  NO_CHANGE: {
    glyph: "reuse",
    family: "reuse",
    label: "state.audit.NO_CHANGE.label",
    meaning: "state.audit.NO_CHANGE.meaning",
    next: "next.openEvidence",
  },
  STALE_REJECTED: {
    glyph: "stale",
    family: "stale",
    label: "state.audit.STALE_REJECTED.label",
    meaning: "state.audit.STALE_REJECTED.meaning",
    next: "next.openEvidence",
  },
};
