import { zonedParts } from "@/app/_components/time";

/** The moment at which a zone's clocks are put to another offset. */
export type ClockChange = {
  atMs: number;
  beforeMinutes: number;
  afterMinutes: number;
  /** What the clock shows just before the change and right after it: 03:00 becomes 02:00. */
  from: string;
  to: string;
};

const stepMs = 15 * 60_000; // clocks change on a quarter of an hour in every zone in use
const two = (n: number) => String(n).padStart(2, "0");
const clockOf = (minutes: number) => `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`;

/** The change of clocks between two moments, or null. A day has one at most; the ends are compared first, so most days cost two readings. */
export function clockChange(fromMs: number, untilMs: number, zone: string): ClockChange | null {
  const before = zonedParts(fromMs, zone).offsetMinutes;
  if (zonedParts(untilMs, zone).offsetMinutes === before) return null;
  let ms = Math.ceil((fromMs + 1) / stepMs) * stepMs;
  while (ms < untilMs && zonedParts(ms, zone).offsetMinutes === before) ms += stepMs;
  const after = zonedParts(ms, zone);
  const shown = after.hour * 60 + after.minute;
  return {
    atMs: ms,
    beforeMinutes: before,
    afterMinutes: after.offsetMinutes,
    from: clockOf((shown + before - after.offsetMinutes + 1440) % 1440),
    to: clockOf(shown),
  };
}

export const goesBack = (change: ClockChange | null): change is ClockChange =>
  change !== null && change.afterMinutes < change.beforeMinutes;
