import { describe, expect, it } from "vitest";
import { Board } from "./board";
import { checkPlan } from "./check-plan";
import { compile } from "./compile";
import { countingBound } from "./counting-bound";
import { loadHighs, runHighs } from "./highs";
import { buildKernelMip, type Kernel } from "./kernel-mip";
import { LagrangianBound } from "./lagrangian-bound";
import { planOf } from "./plan";
import { solve } from "./solve";
import { disruptHeavily, generate, specOf } from "./testing/generate";
import { toProblem } from "./testing/instance";
import { originalScore, scenarioProblem, scenarios } from "./testing/scenarios";
import { tinyInstances } from "./testing/tiny";
import type { Problem } from "./types";

const effort = { searchRounds: 4000, boundRounds: 600, lpIterations: 50_000, kernelColumnsMax: 30_000 };
const options = { seed: 1, effort, timeLimitMs: 600_000 };
const never = () => false;

/** HiGHS on every place of every visit, with nothing fixed and no plan to begin with: slow, and simple enough to believe. */
async function optimumOf(problem: Problem): Promise<number> {
  const highs = await loadHighs();
  if (!highs) throw new Error("HiGHS is not installed");
  const model = compile(problem);
  const board = new Board(model);
  const places: Kernel["places"] = [];
  for (const [visit, { byCost, doctors, kind }] of model.visits.entries())
    for (const start of byCost)
      for (const doctor of doctors)
        if (kind.open[doctor * model.startCount + start] === 1)
          for (const option of kind.options.keys()) places.push({ visit, doctor, start, option });
  const mip = buildKernelMip(model, board.spots, { visits: [...model.visits.keys()], places, mayStayOut: () => true });
  let found = Number.POSITIVE_INFINITY;
  const { isOptimal } = runHighs(highs, {
    matrix: mip.matrix,
    begin: mip.encode(board.spots),
    lpIterations: Number.MAX_SAFE_INTEGER,
    shouldStop: never,
    onPlan: (values) => {
      const { faults, cost } = checkPlan(problem, planOf(model, mip.decode(values)));
      expect(faults).toEqual([]);
      found = Math.min(found, cost);
    },
    onBound: () => {},
  });
  expect(isOptimal).toBe(true);
  return found;
}

/** Small and crowded: the afternoon is closed, so that limits count and some stay out. */
const crowded = Array.from({ length: 16 }, (_, i) => {
  const spec = { ...specOf(i % 2 === 0 ? "F" : "R", 12 + (i % 4), 100 + i), doctors: 2 + (i % 2) };
  const clinic = generate(spec);
  const closed = [...clinic.closed, { day: 0, from: 690 + 60 * (i % 3), until: 1080 }];
  const visits = clinic.visits.map((visit) => ({ ...visit, pinned: false, priority: 1 + (visit.id % 2) }));
  return { name: `${spec.kind}${spec.visits} ${spec.seed}`, problem: toProblem({ ...clinic, closed, visits }) };
});

describe("a solve", () => {
  it.each(tinyInstances)("proves the optimum of: $instance.name", async ({ instance, optimum }) => {
    const solution = await solve(toProblem(instance), options);
    expect(solution).toMatchObject({ cost: optimum, bound: optimum, gap: 0, proven: true, endedBy: "PROVEN", reproducible: true });
  });

  it.each(scenarios)("proves the $name scenario of the original by counting", async (scenario) => {
    const problem = scenarioProblem(scenario);
    const solution = await solve(problem, options);
    expect(solution).toMatchObject({ proven: true, provenBy: "COUNTING", feasible: true });
    expect(originalScore(problem, solution.plan)).toBe(scenario.score);
  });

  it.each(crowded)("agrees with HiGHS on the whole model, and no bound is above it ($name)", async ({ problem }) => {
    const optimum = await optimumOf(problem);
    const solution = await solve(problem, options);
    expect({ cost: solution.cost, proven: solution.proven }).toEqual({ cost: optimum, proven: true });
    const model = compile(problem);
    expect(countingBound(model).total).toBeLessThanOrEqual(optimum);
    const lagrangian = new LagrangianBound(model);
    for (const cost of [optimum, 10 * optimum + 1]) lagrangian.improve({ rounds: 200, cost, shouldStop: never });
    expect(lagrangian.bound).toBeLessThanOrEqual(optimum);
    expect(solution.unassignedBound).toBe(solution.unassigned.length);
  });

  it.each([generate(specOf("R", 20, 1)), disruptHeavily(generate(specOf("R", 50, 1)), 2)])(
    "the same problem, seed and effort give the same plan, HiGHS included ($name)",
    async (clinic) => {
      const problem = toProblem(clinic);
      const [first, second] = [await solve(problem, options), await solve(structuredClone(problem), options)];
      expect(first.engine.highs).not.toBeNull();
      expect({ ...second, phases: [] }).toEqual({ ...first, phases: [] });
    },
  );

  it("without any effort there is a legal plan, a bound, and no proof", async () => {
    const problem = toProblem(generate(specOf("R", 200, 1)));
    const none = { searchRounds: 0, boundRounds: 0, lpIterations: 0, kernelColumnsMax: 0 };
    const solution = await solve(problem, { ...options, effort: none });
    expect(solution).toMatchObject({ proven: false, endedBy: "EFFORT", reproducible: true, feasible: true });
    expect(checkPlan(problem, solution.plan)).toEqual({ faults: [], cost: solution.cost });
    expect(solution.bound).toBeGreaterThan(0);
  });

  it("a time limit that cuts it makes it not reproducible; a proof before it does not", async () => {
    const problem = toProblem(generate(specOf("R", 100, 1)));
    let [now, calls] = [0, 0];
    const clock = () => {
      calls += 1;
      now += calls > 20 ? 1000 : 0;
      return now;
    };
    expect(await solve(problem, { ...options, timeLimitMs: 500 }, { now: clock })).toMatchObject({ endedBy: "TIME", reproducible: false });
    const easy = scenarioProblem(scenarios[0] as (typeof scenarios)[number]);
    expect(await solve(easy, { ...options, timeLimitMs: 500 })).toMatchObject({ endedBy: "PROVEN", reproducible: true });
  });

  it("tells which visits have no place at all, and which found no room", async () => {
    const { instance } = tinyInstances[4] as (typeof tinyInstances)[number];
    const problem = toProblem({
      ...instance,
      visits: [...instance.visits, { ...(instance.visits[0] as (typeof instance.visits)[0]), id: 9, treatment: 2 }],
      treatments: [...instance.treatments, { id: 2, minutes: 30, type: "NURSE", limit: null, options: [] }],
    });
    const { unassigned, feasible } = await solve(problem, options);
    expect(feasible).toBe(false);
    expect(unassigned.map(({ why }) => why).sort()).toEqual(["NO_PLACE", "NO_ROOM"]);
  });
});
