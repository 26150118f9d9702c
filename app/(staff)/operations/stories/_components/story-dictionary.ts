import { auditResults, type StateEntry } from "@/app/_components/state-dictionary";
import type { MessageKey } from "@/app/_i18n/messages";
import type { IntentKind } from "@/server/domain/notifications/intent-kind";

const intents: Record<IntentKind, MessageKey> = {
  BOOKED: "intent.BOOKED",
  REQUESTED: "intent.REQUESTED",
  CONFIRMED: "intent.CONFIRMED",
  MOVED: "intent.MOVED",
  CANCELLED: "intent.CANCELLED",
  REMINDER: "intent.REMINDER",
};
/** What a message tells the patient. */
export const intentWords: Record<string, MessageKey> = intents;

/** What became of an item of a replay. */
export const replayOutcomeWords: Record<string, MessageKey> = {
  PROCESSED: "state.delivery.PROCESSED.label",
  DUPLICATE: "state.delivery.DUPLICATE.label",
  RETRYABLE: "state.delivery.RETRYABLE.label",
  QUARANTINED: "state.delivery.QUARANTINED.label",
  SKIPPED: "story.replaySkipped",
  NOT_REACHED: "story.replayNotReached",
};

/** What a command asked for; an operation without a word is shown by its own name. */
export const operationWords: Record<string, MessageKey> = {
  createAppointment: "operation.createAppointment",
  rescheduleAppointment: "operation.rescheduleAppointment",
  cancelAppointment: "operation.cancelAppointment",
  changeAppointmentStatus: "operation.changeAppointmentStatus",
  addPatient: "operation.addPatient",
  addAbsence: "operation.addAbsence",
  changeAbsence: "operation.changeAbsence",
  endAbsence: "operation.endAbsence",
  addClosure: "operation.addClosure",
  changeClosure: "operation.changeClosure",
  endClosure: "operation.endClosure",
  addOutage: "operation.addOutage",
  changeOutage: "operation.changeOutage",
  endOutage: "operation.endOutage",
  addBreak: "operation.addBreak",
  changeBreak: "operation.changeBreak",
  endBreak: "operation.endBreak",
  changeHours: "operation.changeHours",
};

/** Whether a command is about the facts of a clinic (absences, closures, hours) and so about no visit. */
export const isOfFacts = (operation: string | null): boolean =>
  /^(add|change|end)(Absence|Closure|Outage|Break|Hours)$/.test(operation ?? "");

/** Word of the result of an audit entry. */
export const auditResultWord = (result: string | null): StateEntry =>
  auditResults[(result ?? "DONE") as keyof typeof auditResults] ?? auditResults.DONE;
