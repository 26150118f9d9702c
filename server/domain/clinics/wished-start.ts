import { type LocalChoice, parseWallClock, resolveLocal, type Span, toIso } from "./local-time";

/** "2027-02-09T09:00Z", "2027-02-09T10:00+01:00" (an instant), or "2027-02-09T10:00" on the clinic's clock, with its offset when the hour repeats. */
export type WishedStart = string | { local: string; utcOffset?: string };
export type ParsedStart =
  | { ok: true; at: number; startsAt: string }
  | { ok: false; code: "INVALID" | "NONEXISTENT" | "OFFSET_MISMATCH" }
  | { ok: false; code: "AMBIGUOUS"; choices: LocalChoice[] };

const hourMs = 3_600_000;

/** The instant that a caller means, or why it means none: a bare local time that does not exist or exists twice is refused, not guessed. */
export function parseWishedStart(zone: string, input: WishedStart): ParsedStart {
  if (typeof input === "string") {
    const at = parseInstant(input);
    if (at !== undefined) return { ok: true, at, startsAt: toIso(at) };
  }
  const { local, utcOffset } = typeof input === "string" ? { local: input, utcOffset: undefined } : input;
  const resolved = resolveLocal(zone, local, utcOffset);
  return resolved.ok ? { ok: true, at: resolved.at, startsAt: toIso(resolved.at) } : resolved;
}

/**
 * The span of facts that deciding about this start needs, whatever the zone: the visit with its buffers and usage times, and the clinic's day around
 * it. Undefined when it is no date and time at all. Lets a command read its facts before it knows the zone, and so in one round trip.
 */
export function factsSpanOf(input: WishedStart): Span | undefined {
  const instant = typeof input === "string" ? parseInstant(input) : undefined;
  if (instant !== undefined) return { from: instant - 26 * hourMs, until: instant + 26 * hourMs };
  const local = parseWallClock(typeof input === "string" ? input : input.local);
  return local === undefined ? undefined : { from: local - 41 * hourMs, until: local + 41 * hourMs }; // offsets lie between −12 and +14 h
}

function parseInstant(text: string): number | undefined {
  const parts = /^(.{16,23})(Z|[+-]\d{2}:\d{2})$/.exec(text);
  const local = parts?.[1] === undefined ? undefined : parseWallClock(parts[1]);
  if (!parts || local === undefined) return undefined;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):(\d{2})$/.exec(parts[2] as string) ?? ["", "+", "00", "00"];
  if (Number(hours) > 18 || Number(minutes) > 59) return undefined;
  return local - (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
