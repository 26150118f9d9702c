import { describe, expect, it } from "vitest";
import { checkPlan } from "./check-plan";
import { solve } from "./solve";
import { solveInThread } from "./solve-in-thread";
import { generate, specOf } from "./testing/generate";
import { toProblem } from "./testing/instance";
import type { SolveProgress } from "./types";

const small = { searchRounds: 2000, boundRounds: 100, lpIterations: 0, kernelColumnsMax: 0 };
const endless = { searchRounds: 1e9, boundRounds: 1e9, lpIterations: 1e9, kernelColumnsMax: 30_000 };

describe("the solver's thread", () => {
  it("gives the plan that the engines give, and tells of its progress", async () => {
    const problem = toProblem(generate(specOf("R", 100, 1)));
    const options = { seed: 7, effort: small, timeLimitMs: 600_000 };
    const seen: SolveProgress[] = [];
    const there = await solveInThread(problem, options, { onProgress: (progress) => seen.push(progress) });
    const here = await solve(problem, options);
    expect(there.plan).toEqual(here.plan);
    expect({ ...there, phases: [] }).toEqual({ ...here, phases: [] });
    expect(there).toMatchObject({ reproducible: true, endedBy: "EFFORT", gap: there.cost - there.bound });
    expect(seen[0]).toMatchObject({ phase: "construct", unassigned: 0 });
  });

  it("a cancel ends it with a legal plan that is said not to be reproducible", async () => {
    const problem = toProblem(generate(specOf("F", 500, 1)));
    const stopping = new AbortController();
    const solving = solveInThread(
      problem,
      { seed: 1, effort: endless, timeLimitMs: 600_000 },
      {
        onProgress: () => stopping.abort(),
        signal: stopping.signal,
      },
    );
    const solution = await solving;
    expect(solution).toMatchObject({ endedBy: "CANCELLED", reproducible: false, proven: false });
    expect(checkPlan(problem, solution.plan)).toEqual({ faults: [], cost: solution.cost });
  });

  it("a cancel before anything was found leaves everybody without a place", async () => {
    const problem = toProblem(generate(specOf("R", 20, 1)));
    const solution = await solveInThread(problem, { seed: 1, effort: endless, timeLimitMs: 600_000 }, { signal: AbortSignal.abort() });
    expect(solution).toMatchObject({ endedBy: "CANCELLED", reproducible: false });
  });

  it("the time limit ends it and is said to have ended it", async () => {
    const problem = toProblem(generate(specOf("F", 50, 1)));
    const solution = await solveInThread(problem, { seed: 1, effort: endless, timeLimitMs: 1 });
    expect(solution).toMatchObject({ endedBy: "TIME", reproducible: false });
  });
});
