import { closeDb, openDb, withRead } from "@/db/client";
import type { Stand } from "@/scripts/kill/stand";
import type { ThrowAwayDatabase } from "@/scripts/lib/throw-away";
import type { DigestRing } from "@/server/canonical-hash";
import { systemClock } from "@/server/clock";
import type { DrillName, PageDrill } from "@/server/domain/drills/catalog";
import { DrillProgress } from "@/server/domain/drills/drill-progress";
import { readRunNamed } from "@/server/domain/drills/read-runs";
import type { FinishedRun } from "@/server/domain/drills/record-run";
import { requestRun } from "@/server/domain/drills/request-run";
import { runDrillOnce } from "@/server/domain/drills/run-drill-once";
import { scopedUrl } from "@/server/domain/drills/synthetic-scope";
import { brokerDown } from "./broker-down";
import { dbRestart } from "./db-restart";
import { relayKilled } from "./relay-killed";

const worker = "drill";
type OnStand = Exclude<DrillName, PageDrill>;

const onStand: { [N in OnStand]: (stand: Stand, progress: DrillProgress<N>) => Promise<void> } = {
  "broker-down": brokerDown,
  "db-restart": dbRestart,
  "relay-killed": relayKilled,
};

/** Asks for a drill and carries it out as the drill runner does, in a database of its own. Answers the run as it was stored. */
export async function runInProcess(
  { urls }: ThrowAwayDatabase,
  ring: DigestRing,
  drill: PageDrill,
  by: string,
): Promise<FinishedRun & { ref: string }> {
  const live = openDb(urls.worker, { max: 4, applicationName: worker });
  try {
    const ref = await requestRun(live, worker, drill, by);
    const openScopeDb = (scope: Parameters<typeof scopedUrl>[1]) =>
      openDb(scopedUrl(urls.worker, scope), { max: 3, applicationName: worker });
    await runDrillOnce({ live, openScopeDb, ring, clock: systemClock, worker, signal: new AbortController().signal });
    const run = await withRead(live, { worker }, (tx) => readRunNamed(tx, ref));
    if (run?.durationMs == null) throw new Error(`${drill} did not end`);
    const { reasonCode: reason, durationMs, steps, invariants } = run;
    return { drill, ref, startedByRef: by, reason, durationMs, steps, invariants };
  } finally {
    await closeDb(live);
  }
}

/** Carries out a drill that stops real processes of the stand. */
export async function runOnStand<N extends OnStand>(stand: Stand, drill: N, by: string): Promise<FinishedRun> {
  const startedMs = Date.now();
  const progress = new DrillProgress(drill, systemClock, () => {});
  let reason: FinishedRun["reason"];
  try {
    await onStand[drill](stand, progress);
    reason = progress.verdict();
  } catch (error) {
    console.log(`     ${drill}: ${(error as Error).message}`);
    reason = "STEP_FAILED";
  }
  const { steps, invariants } = progress;
  return { drill, startedByRef: by, reason, durationMs: Date.now() - startedMs, steps, invariants };
}
