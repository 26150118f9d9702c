/**
 * Milliseconds to wait after the `attempt`-th failure (1, 2, …): 2 s × 2ⁿ up to 60 s with full jitter, so that many rows that
 * failed together do not come back together. `random` in [0, 1).
 */
export function backoffMs(attempt: number, random: () => number, baseMs = 2_000, capMs = 60_000): number {
  return Math.floor(random() * Math.min(baseMs * 2 ** Math.min(attempt - 1, 30), capMs));
}
