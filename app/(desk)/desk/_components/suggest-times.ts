import type { Slot } from "@/server/domain/clinics/types";

const ofTheDay = 6;
const ofLaterDays = 2;
const dayOf = (slot: Slot) => slot.localStart.slice(0, 10);

/** The first time of each date. */
export function firstOfDays(slots: readonly Slot[]): Slot[] {
  const seen = new Set<string>();
  return slots.filter((slot) => !seen.has(dayOf(slot)) && seen.add(dayOf(slot)));
}

/**
 * A handful of free times out of a list: those of the wished day from the wished time on (or its last ones, when nothing is left after it), then the
 * first of each later day. A time that the clock shows twice is never suggested in one of its readings only.
 */
export function suggestTimes(slots: readonly Slot[], wished: { date: string; clock: string | null }): Slot[] {
  const onDay = slots.filter((slot) => dayOf(slot) === wished.date);
  const after = onDay.filter((slot) => !wished.clock || slot.localStart.slice(11, 16) >= wished.clock);
  const own = after.length > 0 ? after.slice(0, ofTheDay) : onDay.slice(-ofLaterDays);
  const later = firstOfDays(slots.filter((slot) => dayOf(slot) > wished.date)).slice(0, Math.max(ofLaterDays, ofTheDay - own.length));
  return withBothReadings(slots, [...own, ...later]);
}

/** Of the days of a later page: the first two times of each. */
export function suggestDays(slots: readonly Slot[]): Slot[] {
  const counts = new Map<string, number>();
  const chosen = slots.filter((slot) => {
    const n = counts.get(dayOf(slot)) ?? 0;
    counts.set(dayOf(slot), n + 1);
    return n < 2;
  });
  return withBothReadings(slots, chosen);
}

function withBothReadings(slots: readonly Slot[], chosen: readonly Slot[]): Slot[] {
  const repeated = new Set(chosen.filter((slot) => slot.repeated).map((slot) => slot.localStart));
  const taken = new Set(chosen.map((slot) => slot.startsAt));
  return slots.filter((slot) => taken.has(slot.startsAt) || (slot.repeated && repeated.has(slot.localStart)));
}
