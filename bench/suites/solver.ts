import type { Context, Suite } from "@/bench/lib/context";
import { limited, type Row } from "@/bench/lib/report";
import { median } from "@/bench/lib/rounds";
import { bestKnown, heavy, heavyFigures, mild, type Named, untilTimeIsUp } from "@/bench/lib/solver";
import { solve } from "@/server/domain/planning/solver/solve";
import { solveInThread } from "@/server/domain/planning/solver/solve-in-thread";
import { originalScore, scenarioProblem, scenarios } from "@/server/domain/planning/solver/testing/scenarios";
import type { Solution, SolvePhase } from "@/server/domain/planning/solver/types";

const suite = "solver";
const limitMs = 10_000;
/** What the screen promises of a cancel. */
const cancelWithinMs = 1_000;
const [cancels, deepInMs] = [5, 400];

/** Plans of clinics of all sizes, one solve at a time in this process: proofs, gaps, and costs beside those of other engines at the same limit. */
export const solver: Suite = async (context) => {
  const rows: Row[] = [];
  for (const scenario of scenarios) rows.push(await publicScenario(context, scenario));
  const seeds = context.scale < 1 ? [1] : [1, 2];
  for (const visits of [100, 200])
    for (const kind of ["R", "F"] as const) for (const seed of seeds) rows.push(await provenOrNear(mild(kind, visits, seed)));
  for (const visits of [500, 1000])
    for (const kind of ["R", "F"] as const) for (const seed of seeds) rows.push(await firstPlan(mild(kind, visits, seed)));
  for (const figure of heavyFigures) rows.push(await heavyDisruption(figure));
  rows.push(await cancelled(mild("F", 1000, 1), "search"), await cancelled(heavy(100, 1, 2), "prove"));
  return rows;
};

async function publicScenario({ rounds }: Context, scenario: (typeof scenarios)[number]): Promise<Row> {
  const problem = scenarioProblem(scenario);
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { solution, ms } = await timed({ name: scenario.name, problem });
    const score = originalScore(problem, solution.plan);
    if (score !== scenario.score || !solution.proven)
      throw new Error(`the ${scenario.name} scenario: ${score}, proven: ${solution.proven}`);
    times.push(ms);
  }
  const { visits, doctors, score, publishedMs } = scenario;
  return {
    suite,
    what: `${visits} visits, ${doctors} doctors: score ${score}, proven`,
    unit: "ms",
    ours: median(times),
    spread: [Math.min(...times), Math.max(...times)],
    baseline: "0.1 s",
    baselineFigure: 100,
    ratio: median(times) / 100,
    bar: { atMost: 1 },
    note: `the original publishes the same score after ${publishedMs} ms, not proven`,
  };
}

async function provenOrNear(named: Named): Promise<Row> {
  const { solution, ms } = await timed(named);
  const gap = gapOf(solution);
  return {
    suite,
    what: `${named.name}: gap after ${(ms / 1000).toFixed(1)} s`,
    unit: "%",
    ours: gap,
    baseline: "1 %",
    baselineFigure: 1,
    ratio: gap,
    bar: { atMost: 1 },
    note: told(named, solution),
  };
}

async function firstPlan(named: Named): Promise<Row> {
  const { solution, firstMs } = await timed(named);
  return {
    suite,
    what: `${named.name}: first legal plan`,
    unit: "ms",
    ours: firstMs,
    baseline: "2 s",
    baselineFigure: 2000,
    ratio: firstMs / 2000,
    bar: { atMost: 1 },
    note: told(named, solution),
  };
}

async function heavyDisruption({ visits, seed, more, others }: (typeof heavyFigures)[number]): Promise<Row> {
  const named = heavy(visits, seed, more);
  const { solution } = await timed(named);
  return {
    suite,
    what: `${named.name}: cost`,
    unit: "",
    ours: solution.cost,
    baseline: "the engines at first",
    baselineFigure: others,
    ratio: solution.cost / others,
    bar: { atMost: 1 },
    note: told(named, solution),
  };
}

/** From the cancel to the thread's answer, its end included, with the thread deep in the phase. */
async function cancelled({ name, problem }: Named, phase: SolvePhase): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < cancels; round += 1) times.push(await cancelledOnce(problem, phase));
  const what = `${name}: cancel in the phase ${phase} → thread answered`;
  const note = `median of ${cancels}; until the worker has seen that somebody cancelled, one look of at most 200 ms comes before`;
  return { ...limited({ suite, what, note }, median(times), cancelWithinMs), spread: [Math.min(...times), Math.max(...times)] };
}

async function cancelledOnce(problem: Named["problem"], wanted: SolvePhase): Promise<number> {
  const stopping = new AbortController();
  let cancelledAt = 0;
  const cancel = () => {
    cancelledAt = performance.now();
    stopping.abort();
  };
  const options = { seed: 1, effort: untilTimeIsUp, timeLimitMs: 60_000 };
  let isAwaited = true;
  const onProgress = ({ phase }: { phase: SolvePhase }) => {
    if (!isAwaited || phase !== wanted) return;
    isAwaited = false;
    setTimeout(cancel, deepInMs);
  };
  const { endedBy } = await solveInThread(problem, options, { onProgress, signal: stopping.signal });
  if (endedBy !== "CANCELLED") throw new Error(`the solve was to be cancelled in the phase ${wanted}: it ended by ${endedBy}`);
  return performance.now() - cancelledAt;
}

async function timed({ problem }: Named): Promise<{ solution: Solution; ms: number; firstMs: number }> {
  const began = performance.now();
  let firstMs = 0;
  const options = { seed: 1, effort: untilTimeIsUp, timeLimitMs: limitMs };
  const solution = await solve(problem, options, {
    onProgress: () => {
      firstMs ||= performance.now() - began;
    },
  });
  return { solution, ms: performance.now() - began, firstMs };
}

const gapOf = ({ gap, cost }: Solution): number => (100 * gap) / Math.max(1, cost);

function told({ name }: Named, solution: Solution): string {
  const { cost, bound, levels, unassigned, unassignedBound, proven } = solution;
  const known = bestKnown[name];
  const beside = known === undefined ? "" : `, ${(100 * (cost / known - 1)).toFixed(2)} % over the best known`;
  const placed = `without a place ${unassigned.length}, of no plan fewer than ${unassignedBound}`;
  const moved = `told and moved ${levels.toldMoved}, untold ${levels.untoldMoved}, doctor changed ${levels.doctorChanged}`;
  return `cost ${cost}, bound ${bound} (${proven ? "proven" : `${gapOf(solution).toFixed(2)} %`})${beside}; ${placed}; ${moved}`;
}
