import { findOpenings, startsOnGrid } from "./availability";
import { localAt, type Span, toIso } from "./local-time";
import { nowOf, subjectOf, type Wish } from "./subject";
import type { ClinicFacts, Slot } from "./types";

/** Every start on the grid within `window` at which the wish can be met, in time order. Empty for a treatment or doctor that is not there. */
export function slotsWithin(facts: ClinicFacts, wish: Wish, window: Span): Slot[] {
  const subject = subjectOf(facts, wish);
  if (!subject) return [];
  const starts = startsOnGrid(facts, { from: Math.max(window.from, nowOf(facts, wish)), until: window.until });
  return findOpenings(facts, subject, starts).map(({ start, doctors, sharedFree }) => {
    const { local, utcOffset, repeated } = localAt(facts.clinic.zone, start);
    const free = doctors.reduce((sum, entry) => sum + entry.free, 0);
    return {
      startsAt: toIso(start),
      endsAt: toIso(start + subject.durationMs),
      localStart: local,
      utcOffset,
      repeated,
      doctorIds: doctors.map(({ doctor }) => doctor.id),
      freeSeats: Math.min(free, sharedFree),
    };
  });
}
