import type { MessageKey } from "@/app/_i18n/messages";

/** A sentence for each refusal that a desk can meet, by its stable code. */
export const problemWords: Record<string, MessageKey> = {
  "slot-taken": "problem.slotTaken",
  "not-available": "problem.notAvailable",
  "move-not-allowed": "problem.moveNotAllowed",
  "version-stale": "problem.versionStale",
  "subject-invalid": "problem.subjectInvalid",
  "right-missing": "problem.rightMissing",
  "not-found": "problem.notFound",
  "signed-out": "problem.signedOut",
  "request-invalid": "problem.requestInvalid",
  "idempotency-key-reused": "problem.keyReused",
  "patient-likely-duplicate": "problem.likelyDuplicate",
  "browser-keeps-nothing": "problem.browserKeepsNothing",
};

export const blockerWords: Record<string, MessageKey> = {
  IN_THE_PAST: "blocker.IN_THE_PAST",
  OUTSIDE_HOURS: "blocker.OUTSIDE_HOURS",
  OFF_GRID: "blocker.OFF_GRID",
  CLOSED: "blocker.CLOSED",
  HOLIDAY: "blocker.HOLIDAY",
  BREAK: "blocker.BREAK",
  DOCTOR_ABSENT: "blocker.DOCTOR_ABSENT",
  OUTSIDE_SHIFT: "blocker.OUTSIDE_SHIFT",
  DOCTOR_TAKEN: "blocker.DOCTOR_TAKEN",
  EQUIPMENT_OUT: "blocker.EQUIPMENT_OUT",
  EQUIPMENT_TAKEN: "blocker.EQUIPMENT_TAKEN",
  CLINIC_FULL: "blocker.CLINIC_FULL",
  PATIENT_TAKEN: "blocker.PATIENT_TAKEN",
  PROVIDER_TYPE: "blocker.PROVIDER_TYPE",
  NO_DOCTOR: "blocker.NO_DOCTOR",
  NO_EQUIPMENT: "blocker.NO_EQUIPMENT",
};

export const reasonCodeWords: Record<string, MessageKey> = {
  PATIENT_REQUEST: "reasonCode.PATIENT_REQUEST",
  CLINIC_REQUEST: "reasonCode.CLINIC_REQUEST",
  DOCTOR_ABSENT: "reasonCode.DOCTOR_ABSENT",
  EQUIPMENT_FAILURE: "reasonCode.EQUIPMENT_FAILURE",
  DUPLICATE_BOOKING: "reasonCode.DUPLICATE_BOOKING",
  WRONG_CLICK: "reasonCode.WRONG_CLICK",
  WRONG_PATIENT: "reasonCode.WRONG_PATIENT",
  OTHER: "reasonCode.OTHER",
};
