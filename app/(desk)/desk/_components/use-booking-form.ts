"use client";

import { useState } from "react";
import type { PatientView } from "@/server/domain/patients/types";

export type ChosenPatient = Pick<PatientView, "id" | "ref" | "name">;
export type BookingForm = {
  patient: ChosenPatient | null;
  treatmentId: string;
  /** "any" or the id of a doctor */
  doctorId: string;
  date: string;
  /** The wished start as it was typed: "9", "930", "21:00". */
  time: string;
  /** Which of the two readings is meant, where the clinic's clock shows the wished time twice: "+01:00". */
  utcOffset: string;
  startsAt: string;
  /** With any doctor: who has the fewest visits that day among the free ones, when the time was chosen. */
  likelyDoctorId: string | null;
};
export type FieldErrors = Partial<Record<"patient" | "treatment" | "doctor" | "date" | "time", true>>;

/** What is typed in the booking drawer. Lives with the screen, so closing the drawer or a refused booking loses nothing. */
export function useBookingForm(date: string) {
  const empty: BookingForm = {
    patient: null,
    treatmentId: "",
    doctorId: "any",
    date,
    time: "",
    utcOffset: "",
    startsAt: "",
    likelyDoctorId: null,
  };
  const [form, setForm] = useState<BookingForm>(empty);
  const change = (next: Partial<BookingForm>) =>
    setForm((before) => {
      // Another treatment, doctor, day, time or person has other free times; another day or time has no second reading yet.
      const reading = next.date !== undefined || next.time !== undefined ? { utcOffset: "" } : {};
      return { ...before, startsAt: "", likelyDoctorId: null, ...reading, ...next };
    });
  return { form, change, clear: () => setForm(empty) };
}

/** Fields that are still empty; the server decides about everything else. */
export function missingFields(form: BookingForm): FieldErrors {
  return {
    ...(form.patient ? {} : { patient: true }),
    ...(form.treatmentId ? {} : { treatment: true }),
    ...(form.date ? {} : { date: true }),
    ...(form.startsAt ? {} : { time: true }),
  };
}

/** "9", "930", "9:30", "21.00" as "09:00" … "21:00"; null for what is no time of a 24-hour clock. */
export function parseClock(typed: string): string | null {
  const parts = /^(\d{1,2})(?:[:.h ]?(\d{2}))?$/.exec(typed.trim());
  if (!parts) return null;
  const [hour, minute] = [Number(parts[1]), Number(parts[2] ?? 0)];
  return hour < 24 && minute < 60 ? `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}` : null;
}
