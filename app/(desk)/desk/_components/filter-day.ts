import type { AppointmentState } from "@/server/domain/appointments/states";
import type { DeskDay } from "@/server/domain/operations/desk-day";

export type DeskFilter = { doctorId: string | null; state: AppointmentState | null };

/** The day as a filter shows it: one doctor's column beside the devices and rooms, visits of one state. An unknown doctor filters nothing. */
export function filterDay(day: DeskDay, { doctorId, state }: DeskFilter): DeskDay {
  const doctor = day.columns.some((column) => column.kind === "DOCTOR" && column.id === doctorId) ? doctorId : null;
  if (!doctor && !state) return day;
  return {
    ...day,
    columns: doctor ? day.columns.filter((column) => column.kind !== "DOCTOR" || column.id === doctor) : day.columns,
    visits: day.visits.filter((visit) => (!doctor || visit.doctorId === doctor) && (!state || visit.status === state)),
  };
}
