// What runs in the solver's thread: one solve, then it ends. Loaded by solve-in-thread.ts, in production as a bundle of its own.
import { parentPort, workerData } from "node:worker_threads";
import { solve } from "./solve";
import type { Plan, Problem, Solution, SolveOptions, SolveProgress } from "./types";

export type ThreadTask = { problem: Problem; options: SolveOptions /** One number; 1: end now. */; cancel: SharedArrayBuffer };
export type ThreadMessage =
  | { kind: "PROGRESS"; progress: SolveProgress; plan: Plan }
  | { kind: "SOLUTION"; solution: Solution }
  | { kind: "FAILED"; message: string };

const progressEveryMs = 250;

const { problem, options, cancel } = workerData as ThreadTask;
const isCancelled = new Int32Array(cancel);
const post = (message: ThreadMessage) => parentPort?.postMessage(message);
let posted = Number.NEGATIVE_INFINITY;

solve(problem, options, {
  isCancelled: () => Atomics.load(isCancelled, 0) === 1,
  onProgress: (progress, plan) => {
    if (progress.elapsedMs - posted < progressEveryMs) return;
    posted = progress.elapsedMs;
    post({ kind: "PROGRESS", progress, plan: plan() });
  },
}).then(
  (solution) => post({ kind: "SOLUTION", solution }),
  (error: unknown) => post({ kind: "FAILED", message: error instanceof Error ? error.message : String(error) }),
);
