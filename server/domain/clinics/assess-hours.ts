import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { affectedByHours } from "./affected-by";
import { rangeOf } from "./assess-fact";
import { factInvalid } from "./fact-row";
import type { AffectedView, HoursInput } from "./fact-types";
import { loadClinicFacts } from "./load-facts";
import { placedVisits } from "./placed-visits";
import type { DoctorFact, HoursFact, Scope } from "./types";

/** `doctorId` null: the opening hours of the clinic. */
export type HoursChange = { doctorId: string | null } & HoursInput;
export type AssessedHours = {
  doctor: DoctorFact | null;
  /** By weekday and time. */
  hours: HoursFact[];
  before: HoursFact[];
  version: string;
  affected: AffectedView;
};

export const hoursKey = ({ weekday, from, until }: HoursFact): string => `${weekday} ${from} ${until}`;

/** Whose week it is, what it was, and which visits the new one leaves outside. Two statements. Throws AppError not-found, fact-invalid. */
export async function assessHours(
  tx: Tx,
  scope: Scope,
  { clinicId, change, now }: { clinicId: string; change: HoursChange; now: number },
): Promise<AssessedHours> {
  const { doctorId } = change;
  const facts = await loadClinicFacts(tx, scope, { clinicId, from: now, until: now + 1, withoutClaims: true });
  const doctor = doctorId === null ? null : facts?.doctors.find(({ id }) => id === doctorId);
  if (!facts || doctor === undefined) throw new AppError("not-found");
  const hours = [...change.hours].sort((a, b) => (hoursKey(a) < hoursKey(b) ? -1 : 1));
  if (hasOverlap(hours)) throw factInvalid("HOURS_OVERLAP");
  const visits = await placedVisits(tx, { clinicId, from: now, until: null, doctorId });
  return {
    doctor,
    hours,
    before: doctor ? doctor.shifts : facts.hours,
    version: doctor ? doctor.hoursVersion : facts.clinic.hoursVersion,
    affected: affectedByHours({ ...facts, range: rangeOf(visits, now) }, doctor, hours, visits),
  };
}

const dayMinutes = 1_440;
const weekMinutes = 7 * dayMinutes;

/** On a week that goes round: Sunday night may run into Monday. Intervals that only touch are two. */
export function hasOverlap(hours: readonly HoursFact[]): boolean {
  const spans = hours.map(({ weekday, from, until }) => {
    const start = (weekday - 1) * dayMinutes + minutesOf(from);
    const length = minutesOf(until) - minutesOf(from);
    return { from: start, until: start + (length > 0 ? length : length + dayMinutes) };
  });
  return spans.some((one, i) =>
    spans.some(
      (other, j) =>
        i !== j && [-weekMinutes, 0, weekMinutes].some((shift) => one.from < other.until + shift && other.from + shift < one.until),
    ),
  );
}

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));
