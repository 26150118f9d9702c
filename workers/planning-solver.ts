import { applyAgainOnce } from "@/server/domain/planning/apply-again-once";
import { calculateOnce } from "@/server/domain/planning/calculate-once";
import { solveInThread } from "@/server/domain/planning/solver/solve-in-thread";
import { countApplyAgain, countSolve } from "./metrics";
import { runLoop } from "./run-loop";
import type { Worker } from "./worker-context";

/**
 * Calculates the plans that were asked for, one at a time and in a thread of its own, takes over those of dead solvers, and applies again what met too many
 * writers: people wait for both, and the second is short, so it goes first.
 */
export const planningSolver: Worker = async (context) => {
  const { db, env, status, clock } = context;
  const deps = { db, worker: status.workerId, clock, solve: solveInThread };
  await runLoop(
    {
      status,
      pollMs: 500,
      tick: async ({ signal }) => {
        const again = await applyAgainOnce(db, status.workerId, { leaseMs: env.WORKER_LEASE_MS });
        if (again.outcome) countApplyAgain(again.outcome);
        const run = await calculateOnce(deps, { signal, heartbeat: () => status.alive() }, { leaseMs: env.WORKER_LEASE_MS });
        if (run.state) countSolve(run.state, run.solveMs);
        return { isBusy: again.claimed + run.claimed > 0, counts: { applied: again.claimed, calculated: run.claimed } };
      },
    },
    context,
  );
};
