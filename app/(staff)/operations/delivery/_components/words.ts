import { deliveryStates, outboxStates, type StateEntry } from "@/app/_components/state-dictionary";
import type { MessageKey } from "@/app/_i18n/messages";
import type { QueueState, RowKind } from "@/server/domain/operations/types";
import type { WorkerRole } from "@/server/domain/operations/worker-health";

/** Entry of the dictionary for each state a queue row can show. */
export const queueStates: Record<QueueState, StateEntry> = {
  PROCESSING: deliveryStates.PROCESSING,
  PROCESSED: deliveryStates.PROCESSED,
  DUPLICATE: deliveryStates.DUPLICATE,
  RETRYABLE: deliveryStates.RETRYABLE,
  QUARANTINED: deliveryStates.QUARANTINED,
  BLOCKED_BY: deliveryStates.BLOCKED_BY,
  PUBLISH_FAILED: outboxStates.FAILED,
};

/** Second line of the state: what it means for the appointment. */
export const effects: Record<QueueState, MessageKey> = {
  PROCESSING: "delivery.effect.PROCESSING",
  PROCESSED: "delivery.effect.PROCESSED",
  DUPLICATE: "delivery.effect.DUPLICATE",
  RETRYABLE: "delivery.effect.RETRYABLE",
  QUARANTINED: "delivery.effect.QUARANTINED",
  BLOCKED_BY: "delivery.effect.BLOCKED_BY",
  PUBLISH_FAILED: "delivery.effect.PUBLISH_FAILED",
};

/** Reason of a row that has none stored: the state says it. */
export const plainReasons: Record<QueueState, MessageKey> = {
  PROCESSING: "delivery.plain.PROCESSING",
  PROCESSED: "delivery.plain.PROCESSED",
  DUPLICATE: "delivery.plain.DUPLICATE",
  RETRYABLE: "delivery.plain.RETRYABLE",
  QUARANTINED: "delivery.plain.QUARANTINED",
  BLOCKED_BY: "delivery.plain.BLOCKED_BY",
  PUBLISH_FAILED: "delivery.plain.PUBLISH_FAILED",
};

/** Where the reference of a visit would stand: a refused booking made none, and other events are of the clinic's facts. */
export const noVisitWord = (kind: RowKind): MessageKey => (kind === "command" ? "story.noVisit" : "delivery.noAppointment");

/** "Created", "Moved", … of an event type; other events keep their own name. */
export function changeWord(eventType: string | null): MessageKey | null {
  if (!eventType) return null;
  if (/created$/i.test(eventType)) return "change.CREATED";
  if (/(rescheduled|moved)$/i.test(eventType)) return "change.RESCHEDULED";
  if (/cancelled$/i.test(eventType)) return "change.CANCELLED";
  if (/changed$/i.test(eventType)) return "change.STATUS_CHANGED";
  return null;
}

/** Name of each worker. */
export const roleNames: Record<WorkerRole, MessageKey> = {
  "outbox-relay": "worker.outboxRelay",
  "appointment-consumers": "worker.appointmentConsumers",
  "retry-scheduler": "worker.retryScheduler",
  "replay-runner": "worker.replayRunner",
  "notification-dispatch": "worker.notificationDispatch",
  "notification-reminders": "worker.notificationReminders",
  "idempotency-retention": "worker.idempotencyRetention",
  "outbox-retention": "worker.outboxRetention",
  "audit-sealer": "worker.auditSealer",
  "planning-solver": "worker.planningSolver",
  "drill-runner": "worker.drillRunner",
};
