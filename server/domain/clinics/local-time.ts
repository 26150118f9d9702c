// Wall clock of a clinic ↔ instants. Instants are epoch milliseconds here: plain numbers sort, subtract and travel in JSON. The rules of a zone come
// from Temporal once for each year; converting is then arithmetic on at most a few offsets, because a slot list asks thousands of times.
import { Temporal } from "temporal-polyfill";

/** Half-open `[from, until)` in epoch milliseconds. */
export type Span = { from: number; until: number };
/** The zone has this offset from `from` until the next entry. */
type Offset = { from: number; offsetMs: number };
export type LocalMoment = {
  /** 2027-02-09 */
  date: string;
  /** 2027-02-09T10:00 (seconds only when there are some) */
  local: string;
  /** +01:00 */
  utcOffset: string;
  utcOffsetSeconds: number;
  /** The same wall clock is shown twice: when the clocks go back. */
  repeated: boolean;
};
export type LocalChoice = { startsAt: string; utcOffset: string };
export type ResolvedLocal =
  | { ok: true; at: number }
  | { ok: false; code: "INVALID" | "NONEXISTENT" | "OFFSET_MISMATCH" }
  | { ok: false; code: "AMBIGUOUS"; choices: LocalChoice[] };

export const minuteMs = 60_000;
const dayMs = 86_400_000;
const offsetsByYear = new Map<string, Offset[]>();

/** A name of the IANA database ("Europe/Berlin"), not a fixed offset ("+01:00"): only a named zone knows its clock changes. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(zone)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
    return true;
  } catch {
    return false;
  }
}

/** The instants that show this wall clock (given as if it were UTC): none in a gap, two when the clocks went back, in order. */
function instantsOf(zone: string, localMs: number): number[] {
  return offsetsAround(zone, localMs)
    .map(({ offsetMs }) => offsetMs)
    .filter((offsetMs, i, all) => all.indexOf(offsetMs) === i)
    .map((offsetMs) => localMs - offsetMs)
    .filter((at) => at + offsetAt(zone, at) === localMs)
    .sort((a, b) => a - b);
}

/**
 * A wall clock "2027-02-09T10:00" in a zone as an instant; `utcOffset` ("+01:00") chooses between the two readings of a repeated hour.
 * A local time that does not exist is refused, not moved.
 */
export function resolveLocal(zone: string, local: string, utcOffset?: string): ResolvedLocal {
  const localMs = parseWallClock(local);
  if (localMs === undefined) return { ok: false, code: "INVALID" };
  const instants = instantsOf(zone, localMs);
  const [first] = instants;
  if (first === undefined) return { ok: false, code: "NONEXISTENT" };
  if (utcOffset !== undefined) {
    const wanted = instants.find((at) => localAt(zone, at).utcOffset === (utcOffset === "Z" ? "+00:00" : utcOffset));
    return wanted === undefined ? { ok: false, code: "OFFSET_MISMATCH" } : { ok: true, at: wanted };
  }
  if (instants.length === 1) return { ok: true, at: first };
  return { ok: false, code: "AMBIGUOUS", choices: instants.map((at) => ({ startsAt: toIso(at), utcOffset: localAt(zone, at).utcOffset })) };
}

/** What the clinic's clock shows at an instant. */
export function localAt(zone: string, at: number): LocalMoment {
  const offsetMs = offsetAt(zone, at);
  const text = new Date(at + offsetMs).toISOString();
  return {
    date: text.slice(0, 10),
    local: text.endsWith(":00.000Z") ? text.slice(0, 16) : text.slice(0, 19),
    utcOffset: offsetText(offsetMs),
    utcOffsetSeconds: offsetMs / 1000,
    repeated: isNearChange(zone, at) && instantsOf(zone, at + offsetMs).length > 1,
  };
}

/**
 * The part of real time between two wall clocks of facts (hours, breaks, closures). A bound that falls into a gap is the moment the clocks jump; in a
 * repeated hour `from` is its first and `until` its last reading, so that the span holds every moment whose clock lies between them.
 */
export function localSpan(zone: string, localFrom: string, localUntil: string): Span {
  const [from, until] = [parseWallClock(localFrom), parseWallClock(localUntil)];
  if (from === undefined || until === undefined) throw new RangeError("a wall clock reads 2027-02-09T10:00");
  return { from: boundAt(zone, from, "FIRST"), until: boundAt(zone, until, "LAST") };
}

/** "09:00" to "17:00" of a clinic's day; an end at or before the start is on the next day. 23 and 25-hour days come out as they are. */
export function dayInterval(zone: string, date: string, from: string, until: string): Span {
  return localSpan(zone, `${date}T${from}`, `${until <= from ? addDays(date, 1) : date}T${until}`);
}

/** From the first moment of a clinic's date to the first of the next: 23, 24 or 25 hours, and nothing for a date that a zone left out. */
export function dayBounds(zone: string, date: string): Span {
  const [from, until] = [date, addDays(date, 1)].map((day) => boundAt(zone, Date.parse(`${day}T00:00Z`), "FIRST")) as [number, number];
  return { from, until };
}

/** "2027-02-28" + 1 = "2027-03-01": calendar days, no zone. */
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00Z`) + days * dayMs).toISOString().slice(0, 10);

/** 1 = Monday … 7 = Sunday (ISO). */
export const isoWeekday = (date: string): number => new Date(`${date}T00:00Z`).getUTCDay() || 7;

/** A calendar date that exists, "2027-02-29" does not. */
export const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && parseWallClock(`${text}T00:00`) !== undefined;

/** 2027-02-09T09:00:00Z, spelt as server/clock.ts spells what the database answers. */
export const toIso = (at: number): string => new Date(at).toISOString().replace(".000Z", "Z");

/** "2027-02-09T10:00[:00[.000]]" (a space is as good as the T) as if it were UTC; undefined when it is no such date or time. */
export function parseWallClock(text: string): number | undefined {
  const parts = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,3})0*)?)?$/.exec(text);
  if (!parts) return undefined;
  const [, date, time, seconds = "00", fraction = ""] = parts;
  const ms = Date.parse(`${date}T${time}:${seconds}.${fraction.padEnd(3, "0")}Z`);
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== date ? undefined : ms; // 30 February, 24:00
}

function boundAt(zone: string, localMs: number, reading: "FIRST" | "LAST"): number {
  const usual = localMs - offsetAt(zone, localMs);
  if (!isNearChange(zone, usual)) return usual;
  const instants = instantsOf(zone, localMs);
  const found = reading === "FIRST" ? instants[0] : instants.at(-1);
  if (found !== undefined) return found;
  // in a gap: the moment at which the clock jumps over this reading
  const jump = offsetsAround(zone, localMs).find(({ from, offsetMs }) => from + offsetMs > localMs);
  if (!jump) throw new RangeError("a wall clock without instants lies in a gap");
  return jump.from;
}

function offsetAt(zone: string, at: number): number {
  const offsets = offsetsOfYear(zone, new Date(at).getUTCFullYear());
  let found = offsets[0] as Offset;
  for (const offset of offsets) if (offset.from <= at) found = offset;
  return found.offsetMs;
}

/** False for most moments, so that reading the clock stays cheap: 0.5 µs instead of 8 µs. Both ends of a year count as a change. */
function isNearChange(zone: string, at: number): boolean {
  const year = new Date(at).getUTCFullYear();
  return Date.UTC(year + 1, 0, 1) - at < 1.5 * dayMs || offsetsOfYear(zone, year).some(({ from }) => Math.abs(from - at) < 1.5 * dayMs);
}

/** Offsets in use within a day and a half of a moment; no zone is further from UTC than 15 hours. */
function offsetsAround(zone: string, ms: number): Offset[] {
  const [from, until] = [ms - 1.5 * dayMs, ms + 1.5 * dayMs];
  const years = [...new Set([from, until].map((at) => new Date(at).getUTCFullYear()))];
  const offsets = years.flatMap((year) => offsetsOfYear(zone, year));
  return offsets.filter((offset, i) => offset.from <= until && (offsets[i + 1]?.from ?? Number.POSITIVE_INFINITY) > from);
}

function offsetsOfYear(zone: string, year: number): Offset[] {
  const key = `${zone} ${year}`;
  let offsets = offsetsByYear.get(key);
  if (!offsets) {
    if (offsetsByYear.size > 5_000) offsetsByYear.clear(); // bounded: years come from requests
    const start = Temporal.PlainDateTime.from({ year, month: 1, day: 1 }).toZonedDateTime("UTC").withTimeZone(zone);
    offsets = [{ from: start.epochMilliseconds, offsetMs: start.offsetNanoseconds / 1e6 }];
    const end = Date.UTC(year + 1, 0, 1);
    for (let at = start.getTimeZoneTransition("next"); at && at.epochMilliseconds < end; at = at.getTimeZoneTransition("next"))
      offsets.push({ from: at.epochMilliseconds, offsetMs: at.offsetNanoseconds / 1e6 });
    offsetsByYear.set(key, offsets);
  }
  return offsets;
}

function offsetText(offsetMs: number): string {
  const minutes = Math.abs(Math.round(offsetMs / minuteMs));
  const two = (n: number) => String(n).padStart(2, "0");
  return `${offsetMs < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
