import { performance } from "node:perf_hooks";

/** One side of a comparison. `prepare` is outside of the measurement, `run` answers a rate (per second) or a duration (ms): all sides the same. */
export type Side = { name: string; prepare?: () => Promise<unknown>; run: () => Promise<number> };
export type Measured = { rounds: number; of: (name: string) => number[] };

/**
 * Runs the sides in turn, in the other order each second round, so that a machine that slows down slows all of them. One round before is not
 * counted: it fills caches, prepared statements and the compiler. `settle` follows it: ANALYZE, so that the rounds meet the plans of tables that have
 * been there for a while, as the database itself would have made them a minute later.
 */
export async function runAlternately(sides: Side[], rounds: number, settle?: () => Promise<unknown>): Promise<Measured> {
  const figures = new Map(sides.map(({ name }) => [name, [] as number[]]));
  for (let round = -1; round < rounds; round++) {
    if (round === 0) await settle?.();
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      await side.prepare?.();
      const figure = await side.run();
      if (round >= 0) figures.get(side.name)?.push(figure);
    }
  }
  return { rounds, of: (name) => figures.get(name) ?? [] };
}

/** `total` calls of `work`, `concurrency` at a time; answers calls per second. The first failure ends the run. */
export async function ratePerSecond(total: number, concurrency: number, work: (index: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const client = async () => {
    while (next < total) await work(next++);
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: concurrency }, client));
  return total / ((performance.now() - began) / 1000);
}

/** The 95th percentile of `amount` calls of `work`, one at a time, in milliseconds. */
export const p95Side = (name: string, amount: number, work: () => Promise<unknown>): Side => ({
  name,
  run: async () => {
    const times: number[] = [];
    for (let i = 0; i < amount; i++) times.push(await milliseconds(work));
    return percentile(times, 95);
  },
});

/** Milliseconds that `work` takes. */
export async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

export const median = (figures: readonly number[]): number => percentile(figures, 50);

/** Nearest rank; NaN for none. */
export function percentile(figures: readonly number[], p: number): number {
  if (figures.length === 0) return Number.NaN;
  const sorted = figures.toSorted((a, b) => a - b);
  if (p === 50 && sorted.length % 2 === 0) {
    const middle = sorted.length / 2;
    return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
  }
  return sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)] as number;
}

/** The median of the ratios of each round: both sides of a round met the same noise. */
export function ratioOf(ours: readonly number[], baseline: readonly number[]): number {
  return median(ours.map((figure, round) => figure / (baseline[round] as number)));
}
