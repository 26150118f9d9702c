import { toIso } from "@/server/clock";
import type { AppointmentState } from "./states";
import type { AppointmentView } from "./types";

/** A row of appointments joined with zone and patient reference, as `tx.sql` returns it. */
export type AppointmentRow = {
  id: string;
  ref: string;
  version: string;
  placement_version: string;
  status: AppointmentState;
  tenant_group_id: string;
  clinic_id: string;
  patient_id: string;
  patient_ref: string;
  doctor_id: string;
  treatment_id: string;
  starts_at: string;
  ends_at: string;
  local_date: string;
  local_start: string;
  utc_offset_seconds: number;
  source: string;
  updated_at: string;
  zone: string;
  equipment_ids: string[];
};

export const toView = (row: AppointmentRow): AppointmentView => ({
  id: row.id,
  ref: row.ref,
  version: row.version,
  status: row.status,
  clinicId: row.clinic_id,
  patientId: row.patient_id,
  patientRef: row.patient_ref,
  doctorId: row.doctor_id,
  treatmentId: row.treatment_id,
  startsAt: toIso(row.starts_at),
  endsAt: toIso(row.ends_at),
  zone: row.zone,
  localDate: row.local_date,
  localStart: toWallClock(row.local_start),
  utcOffsetSeconds: row.utc_offset_seconds,
  equipmentIds: row.equipment_ids,
});

/** `2027-02-09 10:00:00` as the database writes it → `2027-02-09T10:00` */
export const toWallClock = (text: string): string => text.replace(" ", "T").replace(/:00(\.0+)?$/, "");

export const etagOf = (version: string): string => `"${version}"`;
export const pathOf = (clinicId: string, appointmentId: string): string => `/api/v1/clinics/${clinicId}/appointments/${appointmentId}`;
