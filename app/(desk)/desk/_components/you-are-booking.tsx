"use client";

import { useLocale, useTranslations } from "next-intl";
import { formatTime, repeatedReading } from "@/app/_components/time";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import type { BookingForm } from "./use-booking-form";

type Props = { day: DeskDay; form: BookingForm; equipmentIds: readonly string[]; moving: boolean; plain?: boolean };

/** The booking or the move as one sentence, before it is sent and while its answer is open. */
export function YouAreBooking({ day, form, equipmentIds, moving, plain }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const { zone } = day.clinic;
  const treatment = day.treatments.find((one) => one.id === form.treatmentId);
  if (!form.startsAt || !treatment) return null;
  const nameOf = (id: string | null) => day.columns.find((column) => column.id === id)?.name;
  const until = Date.parse(form.startsAt) + treatment.durationMinutes * 60_000;
  const reading = repeatedReading(form.startsAt, zone);
  const which = reading ? ` (${t(reading.nth === 1 ? "desk.readingFirst" : "desk.readingSecond", { offset: reading.offset })})` : "";
  const likely = nameOf(form.likelyDoctorId);
  const doctor = nameOf(form.doctorId) ?? (likely ? t("desk.likelyDoctor", { name: likely }) : t("desk.someDoctor"));
  const said = {
    when: `${formatTime(form.startsAt, zone, "day", locale)}, ${formatTime(form.startsAt, zone, "clock", locale)}–${formatTime(until, zone, "clock", locale)}${which}`,
    treatment: treatment.name,
    doctor,
    things: equipmentIds.flatMap((id) => nameOf(id) ?? []).join(", "),
    patient: form.patient?.name ?? form.patient?.ref ?? "–",
    b: (chunks: React.ReactNode) => <b className="b6">{chunks}</b>,
  };
  return (
    <p className={plain ? "you" : "you px-4 pb-3"}>
      {said.things
        ? t.rich(moving ? "desk.youAreMovingWith" : "desk.youAreBookingWith", said)
        : t.rich(moving ? "desk.youAreMoving" : "desk.youAreBooking", said)}
    </p>
  );
}
