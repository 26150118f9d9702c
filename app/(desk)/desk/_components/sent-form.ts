"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import type { Choice } from "./calendar";
import type { DeskCommand } from "./pending-command";
import type { BookingForm } from "./use-booking-form";

/** The form as it was sent; after a reload the person's name is read again by id, because no name was kept. */
export function useSentForm(
  pending: DeskCommand | undefined,
  form: BookingForm,
  day: DeskDay | undefined,
  clinicId: string,
): BookingForm | null {
  const trpc = useTRPC();
  const patientId = pending?.operation === "book" ? pending.visit.patient.id : "";
  const known = form.patient?.id === patientId;
  const patient = useQuery(trpc.desk.patient.queryOptions({ clinicId, patientId }, { enabled: patientId !== "" && !known }));
  if (!pending || !day) return null;
  if (pending.operation === "book") {
    const { treatmentId, doctorId, startsAt } = pending.visit;
    return {
      ...form,
      patient: known ? form.patient : (patient.data ?? null),
      treatmentId,
      doctorId,
      startsAt,
      date: form.date || day.date,
    };
  }
  if (pending.operation === "reschedule") {
    const visit = day.visits.find((one) => one.id === pending.appointmentId);
    const { startsAt, doctorId } = pending.change;
    return { ...form, patient: visit?.patient ?? form.patient, treatmentId: visit?.treatmentId ?? form.treatmentId, startsAt, doctorId };
  }
  return null;
}

type Chosen = { form: BookingForm; day: DeskDay; sent: boolean; movingRef: string | undefined; equipmentIds: readonly string[] };

/** The chosen time, drawn into the calendar before it is booked; with any doctor in the column of the one that is likely, and in those of what it uses. */
export function choiceOf({ form, day, sent, movingRef, equipmentIds }: Chosen): Choice | null {
  const treatment = day.treatments.find((one) => one.id === form.treatmentId);
  if (!form.startsAt || !treatment) return null;
  const startsMs = Date.parse(form.startsAt);
  if (startsMs < Date.parse(day.from) || startsMs >= Date.parse(day.until)) return null;
  return {
    startsAt: form.startsAt,
    endsAt: new Date(startsMs + treatment.durationMinutes * 60_000).toISOString(),
    doctorId: form.doctorId === "any" ? form.likelyDoctorId : form.doctorId,
    equipmentIds,
    label: movingRef ?? `${form.patient?.name ?? form.patient?.ref ?? ""} · ${treatment.name}`,
    sent,
  };
}
