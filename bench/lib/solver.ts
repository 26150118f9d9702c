// Instances of the solver's suite and what others made of them: costs, the lower the better.
import { disruptHeavily, generate, type Spec, specOf } from "@/server/domain/planning/solver/testing/generate";
import { toProblem } from "@/server/domain/planning/solver/testing/instance";
import type { Effort, Problem } from "@/server/domain/planning/solver/types";

/** Bounded by the time limit alone. */
export const untilTimeIsUp: Effort = {
  searchRounds: Number.MAX_SAFE_INTEGER,
  boundRounds: Number.MAX_SAFE_INTEGER,
  lpIterations: Number.MAX_SAFE_INTEGER,
  kernelColumnsMax: 30_000,
};

export type Named = { name: string; problem: Problem };

export const mild = (kind: Spec["kind"], visits: number, seed: number): Named => {
  const clinic = generate(specOf(kind, visits, seed));
  return { name: clinic.name, problem: toProblem(clinic) };
};

export const heavy = (visits: number, seed: number, more: number): Named => {
  const clinic = disruptHeavily(generate(specOf("R", visits, seed)), more);
  return { name: clinic.name, problem: toProblem(clinic) };
};

/** Best costs known of the mild instances, by any engine with any time; of 500 fresh requests and more none is proven. */
export const bestKnown: Record<string, number> = {
  "R100-d5x2-g10-s1": 12_095,
  "R100-d5x2-g10-s2": 14_513,
  "F100-d5x2-g10-s1": 2470,
  "F100-d5x2-g10-s2": 2365,
  "R200-d6x3-g10-s1": 25_375,
  "R200-d6x3-g10-s2": 20_482,
  "F200-d6x3-g10-s1": 5335,
  "F200-d6x3-g10-s2": 5460,
  "R500-d9x5-g10-s1": 35_631,
  "R500-d9x5-g10-s2": 28_391,
  "F500-d9x5-g10-s1": 13_865,
  "F500-d9x5-g10-s2": 14_595,
  "R1000-d16x5-g5-s1": 50_196,
  "R1000-d16x5-g5-s2": 64_498,
  "F1000-d16x5-g5-s1": 32_380,
  "F1000-d16x5-g5-s2": 31_440,
};

/** Several doctor-days lost at once. `others`: the cost after 10 s of the engines that this solver was first drafted with, measured on these instances. */
export const heavyFigures = [
  { visits: 100, seed: 1, more: 2, others: 1_326_617 },
  { visits: 200, seed: 1, more: 4, others: 2_045_413 },
  { visits: 200, seed: 2, more: 3, others: 757_373 },
  { visits: 500, seed: 1, more: 8, others: 1_404_670 },
];
