// What runs in the solver's thread: one solve, then it ends. Loaded by solve-in-thread.ts, in production as a bundle of its own.
import { parentPort, workerData } from "node:worker_threads";
import { solve } from "./solve";
import type { Plan, Problem, Solution, SolveOptions, SolveProgress } from "./types";

export type ThreadTask = {
  problem: Problem;
  options: SolveOptions /** Two numbers: 1 in the first says "end now", the second counts how often the thread looked. */;
  control: SharedArrayBuffer;
};
export type ThreadMessage =
  | { kind: "PROGRESS"; progress: SolveProgress; plan: Plan }
  | { kind: "SOLUTION"; solution: Solution }
  | { kind: "FAILED"; message: string };

const progressEveryMs = 250;

const { problem, options, control } = workerData as ThreadTask;
const cells = new Int32Array(control);
const post = (message: ThreadMessage) => parentPort?.postMessage(message);
let posted = Number.NEGATIVE_INFINITY;

solve(problem, options, {
  isCancelled: () => {
    Atomics.add(cells, 1, 1);
    return Atomics.load(cells, 0) === 1;
  },
  onProgress: (progress, plan) => {
    // HiGHS finds few plans and is silent between them: should the thread be ended there, each of them is known, and the one that it began with
    const isRare = progress.phase === "prove" || progress.phase === "polish";
    if (!isRare && progress.elapsedMs - posted < progressEveryMs) return;
    posted = progress.elapsedMs;
    post({ kind: "PROGRESS", progress, plan: plan() });
  },
}).then(
  (solution) => post({ kind: "SOLUTION", solution }),
  (error: unknown) => post({ kind: "FAILED", message: error instanceof Error ? error.message : String(error) }),
);
