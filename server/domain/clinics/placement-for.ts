import { findOpenings, isOnGrid, type Opening } from "./availability";
import { doctorClaimSeats } from "./clinic-time";
import { explainRefusal } from "./explain-refusal";
import { localAt, toIso } from "./local-time";
import { nowOf, type Subject, subjectOf, type Wish } from "./subject";
import type { ClinicFacts, DoctorFact, Placement, PlacementResult } from "./types";

/**
 * Where a visit that starts at this instant would be, with every claim it makes; or everything that stands in its way, by name.
 * `startsAt`: an ISO instant or epoch milliseconds. Throws RangeError when the facts were not read for that time.
 */
export function placementFor(facts: ClinicFacts, wish: Wish & { startsAt: string | number }): PlacementResult {
  const subject = subjectOf(facts, wish);
  const startsAt = typeof wish.startsAt === "number" ? wish.startsAt : Date.parse(wish.startsAt);
  if (Number.isNaN(startsAt)) throw new RangeError("a start is an ISO instant");
  const isOffered = startsAt >= nowOf(facts, wish) && isOnGrid(facts, startsAt);
  const [opening] = subject && isOffered ? findOpenings(facts, subject, [startsAt]) : [];
  const chosen = opening?.doctors[0]?.doctor;
  if (!subject || !opening || !chosen) return { ok: false, blockers: explainRefusal(facts, { ...wish, startsAt }, subject) };
  return { ok: true, placement: placementOf(facts, subject, opening, chosen) };
}

function placementOf(facts: ClinicFacts, subject: Subject, { start, equipment }: Opening, doctor: DoctorFact): Placement {
  const end = start + subject.durationMs;
  const { date, local, utcOffsetSeconds } = localAt(facts.clinic.zone, start);
  const claim = (resourceId: string, from: number, until: number, seats: number | null = null) => ({
    resourceId,
    fromIso: toIso(from),
    untilIso: toIso(until),
    seats,
  });
  const claims = [
    claim(doctor.resourceId, start - subject.beforeMs, end + subject.afterMs, doctorClaimSeats(facts, subject.treatment, doctor)),
    ...equipment.map(({ device, from, until }) => claim(device.resourceId, from, until)),
    ...(facts.clinic.resource ? [claim(facts.clinic.resource.id, start, end)] : []),
    ...(subject.patient ? [claim(subject.patient.resourceId, start, end)] : []),
  ];
  return {
    doctorId: doctor.id,
    startsAt: toIso(start),
    endsAt: toIso(end),
    localDate: date,
    localStart: local,
    utcOffsetSeconds,
    equipment: equipment.map(({ device, from, until }) => ({ equipmentId: device.id, during: `[${toIso(from)},${toIso(until)})` })),
    claims: claims.sort((a, b) => (a.resourceId < b.resourceId ? -1 : a.resourceId > b.resourceId ? 1 : 0)),
  };
}
