// A solve takes seconds and HiGHS is silent for some of them, so it has a thread of its own, which is asked to end and, when it does not, ended.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { describeSolution } from "./describe-solution";
import type { ThreadMessage, ThreadTask } from "./solver-thread";
import type { Plan, Problem, Solution, SolveOptions, SolveProgress } from "./types";

/** How long a thread may take to hear that it is to end. */
const patienceMs = 300;
/** HiGHS may miss the time limit while it is silent. */
const overrunMs = 2000;

/** `control`: see ThreadTask; made here unless somebody wants to read it. */
export type ThreadHooks = { onProgress?: (progress: SolveProgress) => void; signal?: AbortSignal; control?: SharedArrayBuffer };
export const newControl = (): SharedArrayBuffer => new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);

/**
 * Solves in a thread. A cancel ends it within a second with the last plan that it told of, checked again; so does the time limit when the thread does not
 * keep it. Such a solution says that it is not reproducible.
 * @throws Error when the thread fails
 */
export async function solveInThread(problem: Problem, options: SolveOptions, hooks: ThreadHooks = {}): Promise<Solution> {
  const { onProgress, signal, control = newControl() } = hooks;
  const thread = startThread({ problem, options, control });
  const timers: NodeJS.Timeout[] = [];
  let last: { progress: SolveProgress; plan: Plan } | undefined;
  const askToEnd = () => Atomics.store(new Int32Array(control), 0, 1);
  try {
    return await new Promise<Solution>((resolve, reject) => {
      const giveUp = (endedBy: "CANCELLED" | "TIME") => resolve(lastKnown(problem, last, endedBy));
      const onAbort = () => {
        askToEnd();
        timers.push(setTimeout(() => giveUp("CANCELLED"), patienceMs));
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      if (signal?.aborted) onAbort();
      timers.push(setTimeout(() => giveUp("TIME"), options.timeLimitMs + overrunMs));
      thread.on("message", (message: ThreadMessage) => {
        if (message.kind === "SOLUTION") resolve(message.solution);
        else if (message.kind === "FAILED") reject(new Error(`the solver failed: ${message.message}`));
        else {
          last = message;
          onProgress?.(message.progress);
        }
      });
      thread.on("error", reject);
      thread.on("exit", (code) => reject(new Error(`the solver's thread ended with ${code} and without a plan`)));
    });
  } finally {
    for (const timer of timers) clearTimeout(timer);
    await thread.terminate();
  }
}

/** Nothing heard yet: a plan in which nobody has a place is legal too. */
function lastKnown(problem: Problem, last: { progress: SolveProgress; plan: Plan } | undefined, endedBy: "CANCELLED" | "TIME"): Solution {
  const plan = last?.plan ?? problem.visits.map(() => null);
  const findings = { bound: last?.progress.bound ?? 0, unassignedBound: 0, provenBy: null, endedBy, reproducible: false, highs: null };
  return describeSolution(problem, plan, { ...findings, phases: [] });
}

/** Beside the bundle lies the thread's own; from the sources, the loader of tsx has to be put into the thread first, which Node 20 does not do. */
function startThread(task: ThreadTask): Worker {
  const options = { workerData: task, execArgv: [] };
  if (!import.meta.url.endsWith(".ts")) return new Worker(new URL("./solver-thread.mjs", import.meta.url), options);
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx/package.json"));
  const loader = new URL("./dist/esm/api/index.mjs", tsx).href;
  const source = new URL("./solver-thread.ts", import.meta.url).href;
  const boot = `import(${JSON.stringify(loader)}).then(({ register }) => { register(); return import(${JSON.stringify(source)}); });`;
  return new Worker(boot, { ...options, eval: true });
}
