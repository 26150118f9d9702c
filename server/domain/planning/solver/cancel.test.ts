// What a cancel leaves of a solve. Counted in looks, not in time: a look lies before every slice of work, so where no look follows, no slice does.
import { describe, expect, it } from "vitest";
import { checkPlan } from "./check-plan";
import { solve } from "./solve";
import { newControl, solveInThread } from "./solve-in-thread";
import { disruptHeavily, generate, specOf } from "./testing/generate";
import { toProblem } from "./testing/instance";
import type { Problem, SolveOptions, SolvePhase, SolveProgress } from "./types";

const endless = { searchRounds: 1e9, boundRounds: 1e9, lpIterations: 1e9, kernelColumnsMax: 30_000 };
const options: SolveOptions = { seed: 1, effort: endless, timeLimitMs: 600_000 };
/** A full plan with one absence, and one with two more doctor-days lost, at which HiGHS works for seconds without a word. */
const mild = () => toProblem(generate(specOf("R", 50, 1)));
const heavy = () => toProblem(disruptHeavily(generate(specOf("R", 50, 1)), 2));
/** No machine is done with it before the cancel comes. */
const endlessly = () => toProblem(disruptHeavily(generate(specOf("R", 100, 1)), 2));

/** Cancels at the first look in a phase, and counts what the engines still do after it. */
async function cutIn(problem: Problem, wanted: SolvePhase, kernelColumnsMax: number) {
  let [looksAfter, best, isCut] = [0, Number.POSITIVE_INFINITY, false];
  let phase: SolvePhase = "construct";
  const after: SolveProgress[] = [];
  const hooks = {
    isCancelled: () => {
      if (isCut) looksAfter += 1;
      isCut ||= phase === wanted;
      return isCut;
    },
    onProgress: (progress: SolveProgress) => {
      phase = progress.phase;
      if (isCut) after.push(progress);
      else best = progress.cost;
    },
  };
  const solution = await solve(problem, { ...options, effort: { ...endless, kernelColumnsMax } }, hooks);
  return { solution, looksAfter, after, best, isCut };
}

describe("a cancel that the engines see", () => {
  it.each([
    { phase: "construct", of: "a full plan", problem: mild, kernelColumnsMax: 30_000 },
    { phase: "search", of: "a full plan", problem: mild, kernelColumnsMax: 30_000 },
    { phase: "bound", of: "a heavy disruption", problem: heavy, kernelColumnsMax: 30_000 },
    { phase: "prove", of: "a full plan", problem: mild, kernelColumnsMax: 30_000 },
    { phase: "polish", of: "a heavy disruption", problem: heavy, kernelColumnsMax: 50 },
  ] as const)("in the phase $phase, of $of, is the end of work: no other slice begins", async ({ phase, problem, kernelColumnsMax }) => {
    const cut = await cutIn(problem(), phase, kernelColumnsMax);
    expect(cut.isCut).toBe(true);
    expect(cut.looksAfter).toBeLessThanOrEqual(2); // of the loops around it, each on its way out
    expect(cut.solution).toMatchObject({ endedBy: "CANCELLED", reproducible: false, proven: false });
    expect(cut.solution.cost).toBeLessThanOrEqual(cut.best);
    expect(checkPlan(problem(), cut.solution.plan)).toEqual({ faults: [], cost: cut.solution.cost });
  });
});

const threadsNow = (): number => process.getActiveResourcesInfo().filter((name) => name === "Worker" || name === "MessagePort").length;

describe("a cancel of the solver's thread", () => {
  /** Cancels once the thread is in a phase. `isDeaf`: the thread never gets to see it, as when HiGHS is silent. */
  async function cancelIn(problem: Problem, wanted: SolvePhase, isDeaf: boolean) {
    const control = newControl();
    const cells = new Int32Array(control);
    const stopping = new AbortController();
    const seen: SolveProgress[] = [];
    let looksThen = 0;
    const solving = solveInThread(problem, options, {
      control,
      signal: stopping.signal,
      onProgress: (progress) => {
        seen.push(progress);
        if (progress.phase === wanted && !stopping.signal.aborted) stopping.abort();
      },
    });
    stopping.signal.addEventListener("abort", () => {
      if (isDeaf) Atomics.store(cells, 0, 0);
      looksThen = Atomics.load(cells, 1);
    });
    const solution = await solving;
    return { solution, seen, looksAfter: Atomics.load(cells, 1) - looksThen, looks: () => Atomics.load(cells, 1) };
  }

  it.each([
    { phase: "search", isDeaf: false },
    { phase: "search", isDeaf: true },
    { phase: "prove", isDeaf: false },
    { phase: "prove", isDeaf: true },
  ] as const)("in the phase $phase ends it with the best plan that is known (deaf: $isDeaf)", async ({ phase, isDeaf }) => {
    const problem = endlessly();
    const threads = threadsNow();
    const { solution, seen, looksAfter, looks } = await cancelIn(problem, phase, isDeaf);

    expect(solution).toMatchObject({ endedBy: "CANCELLED", reproducible: false, proven: false });
    expect(solution.cost).toBeLessThanOrEqual(Math.min(...seen.map(({ cost }) => cost)));
    expect(checkPlan(problem, solution.plan)).toEqual({ faults: [], cost: solution.cost });
    expect(seen.some((progress) => progress.phase === phase)).toBe(true);
    expect(threadsNow()).toBe(threads);
    if (!isDeaf) expect(looksAfter).toBeLessThanOrEqual(3);

    // and nobody is at work: while another thread does a whole solve, the ended one does not look once
    const ended = looks();
    const small = { searchRounds: 2000, boundRounds: 100, lpIterations: 0, kernelColumnsMax: 0 };
    await solveInThread(toProblem(generate(specOf("R", 20, 1))), { ...options, effort: small });
    expect(looks()).toBe(ended);
  });
});
