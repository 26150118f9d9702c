// The one function that says where a visit can be: hours ∩ shifts − breaks − closures − holidays − absences − outages − claims − buffers, on the
// clinic's grid, within every limit. The slot list, create, reschedule and the solver ask it, so a listed slot can be booked and an unlisted one cannot.

import { type EquipmentPick, equipmentChooser } from "./choose-equipment";
import { type ClinicTime, clinicTime, doctorClaimSeats } from "./clinic-time";
import { dayBounds, localAt, minuteMs, type Span } from "./local-time";
import { SpanWalker } from "./spans";
import { patientResource, type Subject } from "./subject";
import type { ClinicFacts, DoctorFact } from "./types";

/** A start at which the wish can be met: by whom, best first, and with what. */
export type Opening = { start: number; doctors: { doctor: DoctorFact; free: number }[]; equipment: EquipmentPick[]; sharedFree: number };

/** One pass over ascending starts; each resource's full spans are walked once, so the cost is starts × doctors plus the claims, not their product. */
export function findOpenings(facts: ClinicFacts, subject: Subject, starts: readonly number[]): Opening[] {
  const time = clinicTime(facts);
  const { durationMs, beforeMs, afterMs, ignore } = subject;
  const clinic = facts.clinic.resource && time.profileOf(facts.clinic.resource, ignore);
  const clinicFull = new SpanWalker(clinic?.full(null) ?? []);
  const patientFull = new SpanWalker(subject.patient ? time.profileOf(patientResource(subject.patient), ignore).full(null) : []);
  const chooseEquipment = equipmentChooser(time, subject);
  const doctors = subject.doctors.map((doctor) => {
    const seats = doctorClaimSeats(facts, subject.treatment, doctor);
    const profile = time.profileOf({ id: doctor.resourceId, seats: doctor.resourceSeats }, ignore);
    return { doctor, seats, profile, free: new SpanWalker(time.timeOf(doctor).free), full: new SpanWalker(profile.full(seats)) };
  });
  const order = byFewestVisits(time, ignore);

  const openings: Opening[] = [];
  for (const start of starts) {
    const end = start + durationMs;
    const [claimFrom, claimUntil] = [start - beforeMs, end + afterMs];
    if (claimFrom < facts.range.from || claimUntil > facts.range.until) throw new RangeError("the facts were not read for this time");
    const able = doctors.filter(({ free, full }) => free.isCovered(start, end) && full.isClear(claimFrom, claimUntil));
    if (able.length === 0 || !clinicFull.isClear(start, end) || !patientFull.isClear(start, end)) continue;
    const equipment = chooseEquipment(start);
    if (!equipment) continue;
    openings.push({
      start,
      doctors: order(
        start,
        able.map(({ doctor, profile, seats }) => ({ doctor, free: profile.free(claimFrom, claimUntil, seats) })),
      ),
      equipment: equipment.picks,
      sharedFree: Math.min(equipment.free, clinic?.free(start, end, null) ?? Number.POSITIVE_INFINITY),
    });
  }
  return openings;
}

/** Starts lie on the grid counted from the start of each opening interval; elapsed time, so a repeated hour is offered twice. */
export function startsOnGrid(facts: ClinicFacts, window: Span): number[] {
  const gridMs = facts.clinic.gridMinutes * minuteMs;
  const starts = new Set<number>();
  for (const { from, until } of clinicTime(facts).opening) {
    const first = from + Math.max(0, Math.ceil((window.from - from) / gridMs)) * gridMs;
    for (let start = first; start < Math.min(until, window.until); start += gridMs) starts.add(start);
  }
  return [...starts].sort((a, b) => a - b);
}

export const isOnGrid = (facts: ClinicFacts, at: number): boolean =>
  clinicTime(facts).opening.some(
    ({ from, until }) => from <= at && at < until && (at - from) % (facts.clinic.gridMinutes * minuteMs) === 0,
  );

function byFewestVisits(time: ClinicTime, ignore: string | undefined) {
  const { zone } = time.facts.clinic;
  let day: Span = { from: 0, until: 0 };
  let visits = new Map<string, number>();
  const visitsOf = (doctor: DoctorFact): number => {
    let count = visits.get(doctor.id);
    if (count === undefined) {
      count = time.visitsBeginning(doctor.resourceId, day, ignore);
      visits.set(doctor.id, count);
    }
    return count;
  };
  return <T extends { doctor: DoctorFact }>(start: number, able: T[]): T[] => {
    if (able.length < 2) return able;
    if (start < day.from || start >= day.until) {
      day = dayBounds(zone, localAt(zone, start).date);
      visits = new Map();
    }
    return able.sort((a, b) => visitsOf(a.doctor) - visitsOf(b.doctor) || (a.doctor.ref < b.doctor.ref ? -1 : 1));
  };
}
