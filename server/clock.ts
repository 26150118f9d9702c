import { performance } from "node:perf_hooks";
import { Temporal } from "temporal-polyfill";

/** Time as an argument, so that a test can move it. Leases are decided by the database's clock, never by this one. */
export type Clock = {
  now(): Temporal.Instant;
  /** Milliseconds since any fixed moment, never set back: "do I still have time". */
  monotonicMs(): number;
};

export const systemClock: Clock = { now: () => Temporal.Now.instant(), monotonicMs: () => performance.now() };

/** PostgreSQL's timestamptz text (session zone UTC), e.g. `2026-01-02 03:04:05.123456+00`. */
export const toInstant = (text: string): Temporal.Instant => Temporal.Instant.from(text.replace(" ", "T").replace(/\+00$/, "Z"));

/** The same instant as ISO 8601 with microseconds as far as there are any, e.g. `2026-01-02T03:04:05.123456Z`. */
export const toIso = (text: string): string => toInstant(text).toString();
