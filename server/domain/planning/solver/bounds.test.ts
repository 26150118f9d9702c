import { describe, expect, it } from "vitest";
import { Board } from "./board";
import { checkPlan } from "./check-plan";
import { compile } from "./compile";
import { construct } from "./construct";
import { countingBound } from "./counting-bound";
import { Exact } from "./exact";
import { kernelOfPlaces } from "./kernel";
import { LagrangianBound } from "./lagrangian-bound";
import { LocalSearch } from "./local-search";
import { planOf } from "./plan";
import { Random } from "./random";
import { solve } from "./solve";
import { disruptHeavily, generate, specOf } from "./testing/generate";
import { toProblem } from "./testing/instance";
import type { Place, Plan, Problem } from "./types";

const never = () => false;

/** So few visits and starts that every plan can be looked at: one and a half to three hours of two or three people, and too much to do. */
const few = Array.from({ length: 30 }, (_, i) => {
  const spec = { ...specOf(i % 2 === 0 ? "F" : "R", 4 + (i % 3), 500 + i), doctors: 2 + (i % 2), grid: 30 };
  const clinic = generate(spec);
  const closed = [...clinic.closed, { day: 0, from: 600 + 30 * (i % 3), until: 1080 }];
  const visits = clinic.visits.map((visit) => ({ ...visit, pinned: i % 5 === 4 && visit.pinned, priority: 1 + (visit.id % 2) }));
  return { name: `${spec.kind}${visits.length} ${spec.seed}`, problem: toProblem({ ...clinic, closed, visits }) };
});

function placesOf({ treatments, visits }: Problem, visit: number): (Place | null)[] {
  const { treatment, stay } = visits[visit] as Problem["visits"][number];
  const { starts, options } = treatments[treatment] as Problem["treatments"][number];
  const open = starts.flatMap((ofDoctor, doctor) => ofDoctor.flatMap((start) => options.map((_, option) => ({ doctor, start, option }))));
  const isOpen = open.some(({ doctor, start }) => doctor === stay?.doctor && start === stay.start);
  return [null, ...open, ...(stay && !isOpen ? [stay] : [])];
}

/** Every plan that there is, judged by the checker: what the best costs, and how few have no place in any. */
function lookAtAll(problem: Problem): { optimum: number; unassigned: number; plans: number } {
  let [optimum, unassigned, plans] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
  const plan: Plan = problem.visits.map(() => null);
  const choose = (visit: number): void => {
    if (visit === problem.visits.length) {
      plans += 1;
      const { faults, cost } = checkPlan(problem, plan);
      if (faults.length > 0) return;
      optimum = Math.min(optimum, cost);
      unassigned = Math.min(unassigned, plan.filter((place) => !place).length);
      return;
    }
    for (const place of placesOf(problem, visit)) {
      plan[visit] = place;
      choose(visit + 1);
    }
  };
  choose(0);
  return { optimum, unassigned, plans };
}

/** The count of those who stay out, from a first plan, and the plan that comes of its places. */
async function countOut(problem: Problem, iterations: number) {
  const model = compile(problem);
  const board = new Board(model);
  construct(board, never);
  const search = new LocalSearch(board, new Random(1));
  const exact = new Exact(problem, model, search, iterations, { shouldStop: never, onBetter: () => {} });
  if (!(await exact.isReady())) throw new Error("HiGHS is not installed, or there is no work for it");
  const { least, places } = exact.countOut(iterations);
  const before = search.cost;
  exact.solve(kernelOfPlaces(model, search.spots, places), iterations);
  const plan = planOf(model, search.spots);
  return { least, before, cost: search.cost, unassigned: plan.filter((place) => !place).length, check: checkPlan(problem, plan) };
}

describe("bounds, beside every plan that there is", () => {
  it.each(few)("none is above the best plan, and the best plan is found and proven ($name)", async ({ problem }) => {
    const { optimum, unassigned } = lookAtAll(problem);
    const model = compile(problem);
    expect(countingBound(model).total).toBeLessThanOrEqual(optimum);
    expect(countingBound(model).unassigned).toBeLessThanOrEqual(unassigned);
    for (const unassignedMin of [0, unassigned]) {
      const lagrangian = new LagrangianBound(model, unassignedMin);
      for (const cost of [optimum, 10 * optimum + 1]) lagrangian.improve({ rounds: 200, cost, shouldStop: never });
      expect(lagrangian.bound).toBeLessThanOrEqual(optimum);
    }
    expect((await countOut(problem, 50_000)).least).toBeLessThanOrEqual(unassigned);
    const effort = { searchRounds: 4000, boundRounds: 600, lpIterations: 50_000, kernelColumnsMax: 30_000 };
    const solution = await solve(problem, { seed: 1, effort, timeLimitMs: 600_000 });
    expect({ cost: solution.cost, proven: solution.proven }).toEqual({ cost: optimum, proven: true });
    expect(solution.unassignedBound).toBeLessThanOrEqual(solution.unassigned.length);
  });

  it("a count of those who stay out is reached by a plan, and makes the bound of a crowded clinic one that says something", async () => {
    const clinic = disruptHeavily(generate(specOf("R", 100, 1)), 2);
    const problem = toProblem(clinic);
    const { least, before, cost, unassigned, check } = await countOut(problem, 50_000);
    expect(check).toEqual({ faults: [], cost });
    expect(cost).toBeLessThanOrEqual(before);
    expect(unassigned).toBe(least);
    const [usual, counted] = [0, least].map((unassignedMin) => {
      const lagrangian = new LagrangianBound(compile(problem), unassignedMin);
      lagrangian.improve({ rounds: 700, cost, shouldStop: never });
      return lagrangian.bound;
    }) as [number, number];
    expect(counted).toBeGreaterThan(least * problem.weights.unassigned);
    expect(counted).toBeGreaterThanOrEqual(usual);
    expect(counted).toBeLessThanOrEqual(cost);
  });
});
