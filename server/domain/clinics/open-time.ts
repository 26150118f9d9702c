// Weekly and dated facts laid out over the range that was read: when the clinic is open, when a doctor works, and what stands in between.
import { addDays, dayBounds, dayInterval, isoWeekday, localAt, type Span } from "./local-time";
import { byStart, overlaps } from "./spans";
import type { BreakFact, ClinicFacts, DoctorFact, HoursFact } from "./types";

/** A span in which nobody (or this doctor) can be visited, and why. */
export type Obstacle = Span & { code: "CLOSED" | "HOLIDAY" | "BREAK" | "DOCTOR_ABSENT"; label: string };

/** The clinic's dates that touch the range, and the one before: its hours may end on the next day. */
export function datesOf(facts: ClinicFacts): string[] {
  const { zone } = facts.clinic;
  const last = localAt(zone, facts.range.until).date;
  const dates = [addDays(localAt(zone, facts.range.from).date, -1)];
  while ((dates.at(-1) as string) < last) dates.push(addDays(dates.at(-1) as string, 1));
  return dates;
}

/** Opening intervals as they are entered, sorted, not merged: each one starts a grid of its own. */
export const openingIntervals = (facts: ClinicFacts): Span[] => weekly(facts, facts.hours);

export const shiftsOf = (facts: ClinicFacts, doctor: DoctorFact): Span[] => weekly(facts, doctor.shifts);

/** Closures, holidays (unless the clinic opens on them) and breaks of the whole clinic. */
export function clinicObstacles(facts: ClinicFacts): Obstacle[] {
  const closures = facts.closures.map(({ from, until, reason }): Obstacle => ({ from, until, code: "CLOSED", label: reason }));
  const holidays = facts.clinic.openOnHolidays
    ? []
    : facts.holidays.map(({ date, name }): Obstacle => ({ ...dayBounds(facts.clinic.zone, date), code: "HOLIDAY", label: name }));
  return [...closures, ...holidays, ...breaksOf(facts, null)].sort(byStart);
}

/** Absences and breaks of one doctor. */
export function doctorObstacles(facts: ClinicFacts, doctorId: string): Obstacle[] {
  const absences = facts.absences
    .filter((absence) => absence.doctorId === doctorId)
    .map(({ from, until, reason }): Obstacle => ({ from, until, code: "DOCTOR_ABSENT", label: reason }));
  return [...absences, ...breaksOf(facts, doctorId)].sort(byStart);
}

function breaksOf(facts: ClinicFacts, doctorId: string | null): Obstacle[] {
  return facts.breaks
    .filter((pause) => pause.doctorId === doctorId)
    .flatMap((pause) => spansOfBreak(facts, pause).map((span): Obstacle => ({ ...span, code: "BREAK", label: pause.label })));
}

/** Every time that a break falls on in the range of the facts. */
export const spansOfBreak = (facts: ClinicFacts, { weekday, from, until }: Pick<BreakFact, "weekday" | "from" | "until">): Span[] =>
  weekly(facts, weekday === null ? everyDay({ from, until }) : [{ weekday, from, until }]);

const everyDay = (hours: Omit<HoursFact, "weekday">): HoursFact[] => [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, ...hours }));

function weekly(facts: ClinicFacts, hours: readonly HoursFact[]): Span[] {
  const spans = datesOf(facts).flatMap((date) => {
    const weekday = isoWeekday(date);
    return hours.filter((row) => row.weekday === weekday).map((row) => dayInterval(facts.clinic.zone, date, row.from, row.until));
  });
  return spans.filter((span) => span.from < span.until && overlaps(span, facts.range)).sort(byStart);
}
