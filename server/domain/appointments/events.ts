import type { AppointmentChangeV1 } from "@/server/domain/event-log/contracts/appointment-v1";
import type { EventType } from "@/server/domain/event-log/contracts/registry";
import type { AppointmentState } from "./states";

export const changes = ["CREATED", "RESCHEDULED", "CANCELLED", "STATUS_CHANGED"] as const;
export type Change = (typeof changes)[number];

/** Where and in which state a visit is; before and after a change. */
export type Standing = {
  status: AppointmentState;
  doctorId: string;
  /** ISO instants in UTC */
  startsAt: string;
  endsAt: string;
  localDate: string;
};

const types: Record<Change, EventType> = {
  CREATED: "AppointmentCreated",
  RESCHEDULED: "AppointmentRescheduled",
  CANCELLED: "AppointmentCancelled",
  STATUS_CHANGED: "AppointmentStatusChanged",
};

/** The one event of one change: opaque ids and times, no person. `from` is null for a new visit. */
export function appointmentEvent(
  visit: { id: string; ref: string; version: string; clinicId: string; treatmentId: string },
  change: Change,
  from: Standing | null,
  to: Standing,
  reasonCode: string | null,
): { type: EventType; schemaVersion: 1; payload: AppointmentChangeV1 } {
  return {
    type: types[change],
    schemaVersion: 1,
    payload: {
      appointmentId: visit.id,
      appointmentRef: visit.ref,
      version: visit.version,
      clinicId: visit.clinicId,
      change,
      fromStatus: from?.status ?? null,
      toStatus: to.status,
      localDate: to.localDate,
      fromLocalDate: from?.localDate ?? null,
      startsAt: to.startsAt,
      endsAt: to.endsAt,
      fromStartsAt: from?.startsAt ?? null,
      doctorId: to.doctorId,
      fromDoctorId: from?.doctorId ?? null,
      treatmentId: visit.treatmentId,
      reasonCode,
    },
  };
}
