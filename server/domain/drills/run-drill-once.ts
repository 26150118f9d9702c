import { withTx } from "@/db/client";
import { isDatabaseOutage } from "@/db/tx-error";
import { logger } from "@/server/logger";
import { testPoint } from "@/server/test-points";
import { type ClaimedRun, claimRun } from "./claim-run";
import { DrillEnded, DrillProgress } from "./drill-progress";
import { type DrillDeps, DrillWorld } from "./drill-world";
import { carryOut } from "./drills";
import { endRun, type RunEnd, saveProgress } from "./end-run";
import { makeSyntheticScope } from "./synthetic-scope";

export type DrillTick = { claimed: number; ended: RunEnd["state"] | null };
type Options = { leaseMs?: number; heartbeat?: () => void };

/**
 * Carries out one drill that was asked for, from its first step to its verdict, in a scope made for this run. Throws what the database throws while the
 * run is not claimed yet; later an outage leaves the run to its lease, and another runner begins it again.
 */
export async function runDrillOnce(deps: DrillDeps, options: Options = {}): Promise<DrillTick> {
  const { leaseMs = 30_000, heartbeat } = options;
  const run = await claimRun(deps.live, deps.worker, leaseMs);
  if (run === null) return { claimed: 0, ended: null };
  if (run === "ENDED") return { claimed: 1, ended: "CANCELLED" };
  await testPoint("drill.afterClaim", run);
  const progress = new DrillProgress(run.drill, deps.clock, async (now) => {
    heartbeat?.();
    await saveProgress(deps.live, deps.worker, run, now, leaseMs);
  });
  const end = await judge(deps, run, progress);
  if (!end) return { claimed: 1, ended: null };
  await withTx(deps.live, { worker: deps.worker }, (tx) => endRun(tx, deps.worker, run, end, progress));
  return { claimed: 1, ended: end.state };
}

/** Undefined: the run goes on elsewhere. */
async function judge(deps: DrillDeps, run: ClaimedRun, progress: DrillProgress<ClaimedRun["drill"]>): Promise<RunEnd | undefined> {
  await makeSyntheticScope(deps.live, deps.worker, run.scope);
  const world = new DrillWorld(run.scope, deps, progress);
  try {
    await carryOut(run.drill, world, progress);
    const reason = progress.verdict();
    return { state: reason ? "FAILED" : "PASSED", reason };
  } catch (error) {
    if (error instanceof DrillEnded) return error.why === "STOPPED_BY_STAFF" ? { state: "CANCELLED", reason: error.why } : undefined;
    if (deps.signal.aborted || isDatabaseOutage(error)) return undefined;
    // every value that its message may hold is the drill's own
    logger.warn({ drill: run.drill, run: run.ref, error: (error as Error).message }, "a step of a drill failed");
    return { state: "FAILED", reason: "STEP_FAILED" };
  } finally {
    await world.close();
  }
}
