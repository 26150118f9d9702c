import { describe, expect, it } from "vitest";
import { Board } from "./board";
import { checkPlan } from "./check-plan";
import { compile } from "./compile";
import { construct } from "./construct";
import { countingBound } from "./counting-bound";
import { LocalSearch } from "./local-search";
import { planOf } from "./plan";
import { Random } from "./random";
import { generate, specOf } from "./testing/generate";
import { toProblem } from "./testing/instance";
import { originalScore, scenarioProblem, scenarios } from "./testing/scenarios";
import { tinyInstances } from "./testing/tiny";
import type { Problem } from "./types";

const never = () => false;

function search(problem: Problem, rounds: number, seed = 1) {
  const model = compile(problem);
  const board = new Board(model);
  construct(board, never);
  const first = { plan: planOf(model, board.spots), cost: board.cost };
  const bound = countingBound(model).total;
  const found = new LocalSearch(board, new Random(seed));
  found.run({ rounds, bound, shouldStop: never });
  return { first, bound, plan: planOf(model, found.spots), cost: found.cost };
}

describe("local search", () => {
  it.each(tinyInstances)("finds the optimum of: $instance.name", ({ instance, optimum }) => {
    const problem = toProblem(instance);
    const { plan, cost, bound } = search(problem, 3000);
    expect(cost).toBe(optimum);
    expect(bound).toBeLessThanOrEqual(optimum);
    expect(checkPlan(problem, plan)).toEqual({ faults: [], cost: optimum });
  });

  it.each(scenarios)("the $name scenario of the original: its score, proven by counting", (scenario) => {
    const problem = scenarioProblem(scenario);
    const { plan, cost, bound } = search(problem, 20_000);
    expect(cost).toBe(bound);
    expect(originalScore(problem, plan)).toBe(scenario.score);
    expect(checkPlan(problem, plan)).toEqual({ faults: [], cost: Math.abs(scenario.score) });
  });

  it.each([specOf("R", 20, 1), specOf("F", 50, 1), specOf("R", 100, 2), specOf("F", 200, 2), specOf("R", 500, 1), specOf("F", 1000, 1)])(
    "a plan of $visits visits ($kind) is legal from the first one on, and its cost is counted right",
    (spec) => {
      const problem = toProblem(generate(spec));
      const { first, plan, cost, bound } = search(problem, 600);
      expect(checkPlan(problem, first.plan)).toEqual({ faults: [], cost: first.cost });
      expect(checkPlan(problem, plan)).toEqual({ faults: [], cost });
      expect(bound).toBeLessThanOrEqual(cost);
      expect(cost).toBeLessThanOrEqual(first.cost);
    },
  );

  it("the same problem, seed and rounds give the same plan, whoever asks", () => {
    const problem = toProblem(generate(specOf("R", 100, 1)));
    const before = structuredClone(problem);
    expect(search(problem, 3000).plan).toEqual(search(structuredClone(problem), 3000).plan);
    expect(problem).toEqual(before);
  });
});
