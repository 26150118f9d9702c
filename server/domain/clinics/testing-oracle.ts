// What availability means, told the slow way: every five-minute cell of a visit is looked at by itself, through Temporal and plain counting. Shares no
// code with the sweep, so that the two can disagree. Every time in its facts is a multiple of five minutes.
import { Temporal } from "temporal-polyfill";
import type { ClaimFact, ClinicFacts, DoctorFact, EquipmentFact, TreatmentFact } from "./types";

const cellMs = 5 * 60_000;
type Held = { from: number; until: number };

/** The doctors who can take the treatment at this instant; empty when nobody can. */
export function oracleDoctors(facts: ClinicFacts, wish: { treatmentId: string; patient: boolean; ignore?: string }, at: number): string[] {
  const treatment = facts.treatments.find(({ id }) => id === wish.treatmentId) as TreatmentFact;
  const visit = { from: at, until: at + treatment.durationMinutes * 60_000 };
  const counted = facts.claims.filter((claim) => !claim.overridden && (wish.ignore === undefined || claim.appointmentId !== wish.ignore));
  if (!startsOnGrid(facts, at) || !cells(visit).every((cell) => isOpen(facts, cell))) return [];
  if (facts.clinic.resource && !hasRoom(facts, counted, facts.clinic.resource, [visit], null)) return [];
  if (wish.patient && facts.patient && !hasRoom(facts, counted, { id: facts.patient.resourceId, seats: 1 }, [visit], null)) return [];
  if (!canBeEquipped(facts, counted, treatment, visit)) return [];
  return facts.doctors.filter((doctor) => canTake(facts, counted, doctor, treatment, visit)).map(({ id }) => id);
}

function canTake(facts: ClinicFacts, counted: ClaimFact[], doctor: DoctorFact, treatment: TreatmentFact, visit: Held): boolean {
  if (treatment.providerType !== null && treatment.providerType !== doctor.providerType) return false;
  const works = (cell: number) =>
    doctor.shifts.some((shift) => isWithin(facts, shift, cell)) &&
    !facts.absences.some(({ doctorId, from, until }) => doctorId === doctor.id && from <= cell && cell < until) &&
    !facts.breaks.some((pause) => pause.doctorId === doctor.id && isWithin(facts, pause, cell));
  if (!cells(visit).every(works)) return false;
  const claim = { from: visit.from - treatment.bufferBeforeMinutes * 60_000, until: visit.until + treatment.bufferAfterMinutes * 60_000 };
  const limit = treatment.seats ?? doctor.seats ?? facts.clinic.defaultDoctorSeats;
  return hasRoom(facts, counted, { id: doctor.resourceId, seats: doctor.resourceSeats }, [claim], limit);
}

/** In every cell: no more claims than the smallest limit among them, and no more than the units that are left when some are out. */
function hasRoom(
  facts: ClinicFacts,
  counted: ClaimFact[],
  resource: { id: string; seats: number },
  held: Held[],
  seats: number | null,
): boolean {
  return held.every((one) =>
    cells(one).every((cell) => {
      const there = counted.filter(({ resourceId, from, until }) => resourceId === resource.id && from <= cell && cell < until);
      const own = held.filter(({ from, until }) => from <= cell && cell < until);
      const out = facts.outages.filter((outage) => outage.resourceId === resource.id && outage.from <= cell && cell < outage.until);
      const limits = [...there.map((claim) => claim.seats ?? resource.seats), ...own.map(() => seats ?? resource.seats)];
      const units = out.reduce((sum, outage) => sum + outage.units, 0);
      return there.length + own.length <= Math.min(...limits, ...(units > 0 ? [resource.seats - units] : []));
    }),
  );
}

/** Some choice of one device for each need has room for all of them together. */
function canBeEquipped(facts: ClinicFacts, counted: ClaimFact[], treatment: TreatmentFact, visit: Held): boolean {
  const usages = treatment.needs.map((need) => {
    const from = visit.from + need.usageOffsetMinutes * 60_000;
    return { from, until: need.usageMinutes === null ? visit.until : from + need.usageMinutes * 60_000, options: need.equipmentIds };
  });
  const choices = usages.reduce<string[][]>((all, { options }) => all.flatMap((one) => options.map((id) => [...one, id])), [[]]);
  return choices.some((choice) =>
    [...new Set(choice)].every((id) => {
      const device = facts.equipment.find((one) => one.id === id) as EquipmentFact;
      const held = usages.filter((_, i) => choice[i] === id);
      return device.active && hasRoom(facts, counted, { id: device.resourceId, seats: device.resourceSeats }, held, null);
    }),
  );
}

const isOpen = (facts: ClinicFacts, cell: number): boolean =>
  facts.hours.some((hours) => isWithin(facts, hours, cell)) &&
  !facts.closures.some(({ from, until }) => from <= cell && cell < until) &&
  !facts.breaks.some((pause) => pause.doctorId === null && isWithin(facts, pause, cell)) &&
  (facts.clinic.openOnHolidays || !facts.holidays.some(({ date }) => date === clockAt(facts, cell).date));

const clockReadings = new Map<string, { date: string; time: string; weekday: number }>();

/** Kept, because every run asks for the same few days: Temporal takes most of the time otherwise. */
function clockAt({ clinic: { zone } }: ClinicFacts, ms: number) {
  const key = `${zone} ${ms}`;
  let reading = clockReadings.get(key);
  if (!reading) {
    const there = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
    reading = {
      date: there.toPlainDate().toString(),
      time: there.toPlainTime().toString({ smallestUnit: "minute" }),
      weekday: there.dayOfWeek,
    };
    clockReadings.set(key, reading);
  }
  return reading;
}

type Weekly = { weekday: number | null; from: string; until: string };

/** By the reading of the clock: today's interval, or yesterday's that runs over midnight. */
function isWithin(facts: ClinicFacts, { weekday, from, until }: Weekly, cell: number): boolean {
  const { time, weekday: today } = clockAt(facts, cell);
  const isToday = weekday === null || weekday === today;
  const wasYesterday = weekday === null || weekday === ((today + 5) % 7) + 1;
  if (from < until) return isToday && from <= time && time < until;
  return (isToday && from <= time) || (wasYesterday && time < until);
}

function startsOnGrid(facts: ClinicFacts, start: number): boolean {
  const today = Temporal.PlainDate.from(clockAt(facts, start).date);
  return [today, today.subtract({ days: 1 })].some((date) =>
    facts.hours
      .filter(({ weekday }) => weekday === date.dayOfWeek)
      .some((hours) => {
        const from = date.toZonedDateTime({ timeZone: facts.clinic.zone, plainTime: hours.from }).epochMilliseconds;
        return from <= start && isWithin(facts, hours, start) && (start - from) % (facts.clinic.gridMinutes * 60_000) === 0;
      }),
  );
}

function cells({ from, until }: Held): number[] {
  return Array.from({ length: Math.max(0, (until - from) / cellMs) }, (_, i) => from + i * cellMs);
}
