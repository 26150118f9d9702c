import type { Temporal } from "temporal-polyfill";
import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { loadClinicFacts } from "./load-facts";
import { addDays, dayBounds, isDate } from "./local-time";
import { slotsWithin } from "./slots-within";
import type { Scope, Slot } from "./types";

export type SlotsWish = {
  clinicId: string;
  treatmentId: string;
  /** Left out: any doctor. */
  doctorId?: string;
  /** 2027-02-09, a day of the clinic's calendar; slots are listed on the day on which they start. */
  fromDate: string;
  /** 1 to 14 */
  days: number;
  /** The visit that is to move: it does not block its own move. */
  ignoreAppointmentId?: string;
  /** Leaves out times at which this patient is already somewhere. */
  patientId?: string;
  /** Left out: the database's clock, as the commands have it, so that what is listed can be booked whatever this machine's clock says. */
  now?: Temporal.Instant;
};

export const slotDaysMax = 14;
const hourMs = 3_600_000;

/**
 * The starts at which a visit can be booked, in time order, by one statement (`loadFactsQueries`) however many doctors, days and visits there are.
 * Throws AppError: not-found for a clinic, treatment or doctor that is not in scope, request-invalid for a date or number of days that cannot be.
 */
export async function listSlots(tx: Tx, scope: Scope, wish: SlotsWish): Promise<{ asOf: string; zone: string; slots: Slot[] }> {
  if (!isDate(wish.fromDate) || !Number.isInteger(wish.days) || wish.days < 1 || wish.days > slotDaysMax)
    throw new AppError("request-invalid", `A list of free times begins on a date and has 1 to ${slotDaysMax} days.`);
  const untilDate = addDays(wish.fromDate, wish.days);
  const facts = await loadClinicFacts(tx, scope, {
    clinicId: wish.clinicId,
    treatmentId: wish.treatmentId,
    doctorId: wish.doctorId,
    patientId: wish.patientId,
    // the zone is not known yet: offsets lie between −12 and +14 h; a visit with buffers takes at most 4 + 12 + 4 h
    from: Date.parse(`${wish.fromDate}T00:00Z`) - 18 * hourMs,
    until: Date.parse(`${untilDate}T00:00Z`) + 28 * hourMs,
  });
  const isThere =
    facts?.treatments.some(({ id, active }) => active && id === wish.treatmentId) &&
    (wish.doctorId === undefined || facts.doctors.some(({ id, active }) => active && id === wish.doctorId)) &&
    (wish.patientId === undefined || facts.patient?.id === wish.patientId);
  if (!facts || !isThere) throw new AppError("not-found");
  const { zone } = facts.clinic;
  const window = { from: dayBounds(zone, wish.fromDate).from, until: dayBounds(zone, untilDate).from };
  return { asOf: facts.asOf, zone, slots: slotsWithin(facts, wish, window) };
}
