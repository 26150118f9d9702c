import type { SolveOptions } from "./solver/types";

/** How a run is solved unless somebody says otherwise. Rounds end a solve; the clock only guards. */
export const usualSolve: SolveOptions = {
  seed: 1,
  effort: { searchRounds: 200_000, boundRounds: 6_000, lpIterations: 200_000, kernelColumnsMax: 30_000 },
  timeLimitMs: 30_000,
};
