"use client";

import { useQuery } from "@tanstack/react-query";
import { dateIn, formatOffset, formatTime, zonedParts } from "@/app/_components/time";
import { useTRPC } from "@/app/_trpc/client";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import type { BookingForm } from "./use-booking-form";

/** The devices and rooms that a visit at the chosen time would hold. Asked only for treatments that need any; empty until the answer is there. */
export function useChosenPlace(day: DeskDay | undefined, form: BookingForm, ignoreAppointmentId: string | null): string[] {
  const trpc = useTRPC();
  const zone = day?.clinic.zone ?? "UTC";
  const startsAt = form.startsAt || "1970-01-01T00:00:00Z";
  const uses = day?.treatments.find((one) => one.id === form.treatmentId)?.usesEquipment === true;
  const query = useQuery(
    trpc.desk.check.queryOptions(
      {
        clinicId: day?.clinic.id ?? "",
        treatmentId: form.treatmentId,
        doctorId: form.doctorId === "any" ? null : form.doctorId,
        patientId: form.patient?.id ?? null,
        ignoreAppointmentId,
        local: `${dateIn(startsAt, zone)}T${formatTime(startsAt, zone, "clock", "en")}`,
        utcOffset: formatOffset(zonedParts(startsAt, zone).offsetMinutes).replace("−", "-"),
      },
      { enabled: uses && form.startsAt !== "" },
    ),
  );
  return uses && form.startsAt !== "" && query.data?.end === "FREE" ? query.data.equipmentIds : none;
}

const none: string[] = [];
