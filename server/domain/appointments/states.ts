import type { appointmentStates } from "@/db/schema/appointments";
import type { TokenCommand } from "@/server/domain/scope/actor";

export type AppointmentState = (typeof appointmentStates)[number];

/** What may be done with a visit, by name; buttons, commands and refusals use the same word. */
export const appointmentActions = [
  "confirm",
  "check-in",
  "start",
  "complete",
  "no-show",
  "release",
  "reschedule",
  "cancel",
  "undo",
] as const;
export type AppointmentAction = (typeof appointmentActions)[number];

type Moves = Partial<Record<AppointmentState, AppointmentAction>>;

/**
 * Where a visit can go and which action takes it there. `reschedule` keeps REQUESTED and CONFIRMED as they are and confirms what waits for a new
 * time; it is no plain change of state, so it stands in `reschedulable`. `release` gives the time back: PENDING_RESCHEDULE holds nothing.
 */
export const moves: Record<AppointmentState, Moves> = {
  REQUESTED: { CONFIRMED: "confirm", PENDING_RESCHEDULE: "release", CANCELLED: "cancel" },
  CONFIRMED: { CHECKED_IN: "check-in", NO_SHOW: "no-show", PENDING_RESCHEDULE: "release", CANCELLED: "cancel" },
  PENDING_RESCHEDULE: { CANCELLED: "cancel" },
  CHECKED_IN: { IN_PROGRESS: "start", CONFIRMED: "undo", CANCELLED: "cancel" },
  IN_PROGRESS: { COMPLETED: "complete", CHECKED_IN: "undo" },
  COMPLETED: { IN_PROGRESS: "undo" },
  NO_SHOW: { CONFIRMED: "undo" },
  CANCELLED: {},
};

/** The state after a new time was found; null: this visit cannot be moved. */
export const reschedulable: Record<AppointmentState, AppointmentState | null> = {
  REQUESTED: "REQUESTED",
  CONFIRMED: "CONFIRMED",
  PENDING_RESCHEDULE: "CONFIRMED",
  CHECKED_IN: null,
  IN_PROGRESS: null,
  COMPLETED: null,
  NO_SHOW: null,
  CANCELLED: null,
};

/** Holds its doctor, devices, rooms and patient, so that nobody else can have them. */
export const holdsClaims: Record<AppointmentState, boolean> = {
  REQUESTED: true,
  CONFIRMED: true,
  PENDING_RESCHEDULE: false,
  CHECKED_IN: true,
  IN_PROGRESS: true,
  COMPLETED: false,
  NO_SHOW: false,
  CANCELLED: false,
};

/** The right that an API token needs; null: only a person at the desk. Persons need FRONT_DESK in the clinic for all of them. */
export const tokenRight: Record<AppointmentAction, TokenCommand | null> = {
  confirm: "appointments:confirm",
  "check-in": "appointments:change-status",
  start: "appointments:change-status",
  complete: "appointments:change-status",
  "no-show": "appointments:change-status",
  release: "appointments:change-status",
  reschedule: "appointments:reschedule",
  cancel: "appointments:cancel",
  undo: null,
};

/** The reason codes that an action asks for; null: it needs none. Free text goes into the note and never leaves the history. */
export const reasonCodes = {
  cancel: ["PATIENT_REQUEST", "CLINIC_REQUEST", "DOCTOR_ABSENT", "EQUIPMENT_FAILURE", "DUPLICATE_BOOKING", "OTHER"],
  release: ["PATIENT_REQUEST", "CLINIC_REQUEST", "DOCTOR_ABSENT", "EQUIPMENT_FAILURE", "OTHER"],
  reschedule: ["PATIENT_REQUEST", "CLINIC_REQUEST", "DOCTOR_ABSENT", "EQUIPMENT_FAILURE", "OTHER"],
  undo: ["WRONG_CLICK", "WRONG_PATIENT", "OTHER"],
} as const;
export const reasonNeeded: Record<AppointmentAction, boolean> = {
  confirm: false,
  "check-in": false,
  start: false,
  complete: false,
  "no-show": false,
  release: true,
  reschedule: false,
  cancel: true,
  undo: true,
};
