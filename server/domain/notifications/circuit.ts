import type { Clock } from "@/server/clock";

export type CircuitState = "CLOSED" | "OPEN" | "HALF_OPEN";
export type Circuit = ReturnType<typeof createCircuit>;

const failuresToOpen = 3;
const openBaseMs = 5_000;
const openCapMs = 60_000;

/**
 * One for a provider and process. Three outages in a row open it: nothing is claimed for 5 s, doubling up to 60 s (full jitter over the upper half),
 * then one message probes. Only outages count; a refused message says nothing about the others. Held in memory: each process learns for itself, which
 * costs a few probes and needs no shared row that could be wrong.
 */
export function createCircuit(clock: Pick<Clock, "monotonicMs">, random: () => number = Math.random) {
  let failures = 0;
  let openings = 0;
  let openUntil: number | null = null;

  const state = (): CircuitState => {
    if (openUntil === null) return "CLOSED";
    return clock.monotonicMs() < openUntil ? "OPEN" : "HALF_OPEN";
  };

  return {
    state,
    /** How many messages may be tried now: none while open, one while half open. */
    allowance: (batchMax: number): number => (state() === "OPEN" ? 0 : state() === "HALF_OPEN" ? 1 : batchMax),
    /** The provider answered, whatever it said. */
    answered: () => {
      failures = 0;
      openings = 0;
      openUntil = null;
    },
    /** The provider could not be reached. Several calls under way when it opens count as one opening. */
    outage: () => {
      failures += 1;
      if (state() === "OPEN" || (openUntil === null && failures < failuresToOpen)) return;
      openings += 1;
      const waitMs = Math.min(openBaseMs * 2 ** (openings - 1), openCapMs);
      openUntil = clock.monotonicMs() + waitMs / 2 + random() * (waitMs / 2);
    },
  };
}
