import { setTimeout as sleepFor } from "node:timers/promises";
import { type Db, withRead, withTx } from "@/db/client";
import type { Clock } from "@/server/clock";
import { logger } from "@/server/logger";
import { testPoint } from "@/server/test-points";
import { type ClaimedRun, claimRun, endCalculation, giveBack, workerOf } from "./claim-run";
import { mayMove } from "./may-move";
import { type ClinicProblem, placementsOf, problemFromSnapshot } from "./problem-from-snapshot";
import { settleCalculation } from "./settle-calculation";
import { loadSnapshot } from "./snapshot/load-snapshot";
import type { PlanningSnapshot } from "./snapshot/types";
import type { solveInThread } from "./solver/solve-in-thread";
import type { Solution, SolveProgress } from "./solver/types";
import type { PlanningReason } from "./states";
import type { PlanningState } from "./types";
import { visitsThatStay } from "./visits-that-stay";

export type SolverDeps = { db: Db; worker: string; clock: Clock; solve: typeof solveInThread };
export type Calculated = {
  /** Runs that this call took up: 0 or 1. */
  claimed: number;
  /** How it was left; FENCED: it is another solver's by now. */
  state: PlanningState | "FENCED" | null;
  solveMs: number | null;
};
type Control = { signal: AbortSignal; heartbeat?: () => void };
/** With the patience of the thread and the look itself, a cancel is heard well within a second. */
const usualLookMs = 200;
type Options = { leaseMs?: number; lookMs?: number };

/**
 * Takes one run from its request to its plan: claim, one snapshot of facts and visits, a solve in a thread of its own, and the end by fence. While it
 * solves, every look renews the lease, shows how far it is and asks whether somebody cancelled. Nothing of the clinic is locked meanwhile: what changes
 * makes the plan stale, and the apply finds out. A database that goes away leaves the run to its lease.
 */
export async function calculateOnce(deps: SolverDeps, control: Control, options: Options = {}): Promise<Calculated> {
  const { leaseMs = 30_000, lookMs = usualLookMs } = options;
  const run = await claimRun(deps.db, deps.worker, leaseMs);
  if (run === null || run === "ENDED") return { claimed: run === null ? 0 : 1, state: run && "DISCARDED", solveMs: null };
  await testPoint("planning.afterClaim", run);
  return new Calculation(deps, run, control, leaseMs, lookMs).toItsEnd();
}

/** One run under way. */
class Calculation {
  private readonly stopping = new AbortController();
  private why: "CANCELLED" | "FENCED" | "STOPPED" | null = null;
  private progress: SolveProgress | null = null;

  constructor(
    private readonly deps: SolverDeps,
    private readonly run: ClaimedRun,
    private readonly control: Control,
    private readonly leaseMs: number,
    private readonly lookMs: number,
  ) {}

  async toItsEnd(): Promise<Calculated> {
    const { db, worker, clock } = this.deps;
    const startedMs = clock.monotonicMs();
    const snapshot = await this.load();
    if (!snapshot) return this.end("CLINIC_GONE");
    const snapshotMs = Math.round(clock.monotonicMs() - startedMs);
    await testPoint("planning.afterSnapshot", this.run);
    await this.lookNow(); // a large clinic takes a moment to lay out: not for a run that nobody wants any more
    if (this.why !== null) return this.stopped();
    const reasons = mayMove(snapshot, this.run.chosenIds, this.run.keptIds);
    const movable = [...reasons.keys()].filter((id) => this.run.previousAs !== "PART" || this.run.chosenIds.includes(id));
    const solvingMs = clock.monotonicMs();
    const solved = await this.planOf(snapshot, movable);
    if (solved === "STOPPED") return this.stopped();
    if (solved === "FAILED") return this.end("SOLVER_FAILED");
    const solveMs = Math.round(clock.monotonicMs() - solvingMs);
    await testPoint("planning.afterSolve", this.run);
    const { problem, solution, placements } = solved;
    const movedIds = new Set(problem.visits.map(({ id }) => id));
    const isSettled = await settleCalculation(db, worker, this.run, {
      snapshot,
      snapshotMs,
      solveMs,
      solution,
      placements,
      reasons,
      movable: movedIds.size,
      stays: visitsThatStay(snapshot, movedIds, { broken: solution.pinnedViolations, reasons, chosenIds: this.run.chosenIds }),
    });
    return { claimed: 1, state: isSettled ? "CALCULATED" : "FENCED", solveMs };
  }

  /** A fault of the engines ends the run: it would come again with every solver. */
  private async planOf(
    snapshot: PlanningSnapshot,
    movable: string[],
  ): Promise<{ problem: ClinicProblem; solution: Solution; placements: ReturnType<typeof placementsOf> } | "STOPPED" | "FAILED"> {
    try {
      const problem = problemFromSnapshot(snapshot, movable);
      const solution = await this.solve(problem);
      return solution ? { problem, solution, placements: placementsOf(problem, solution.plan) } : "STOPPED";
    } catch (error) {
      logger.error(
        { run: this.run.ref, err: { name: (error as Error).name, message: (error as Error).message } },
        "a plan could not be calculated",
      );
      return "FAILED";
    }
  }

  private load(): Promise<PlanningSnapshot | undefined> {
    const { clinicId, fromDate, untilDate } = this.run;
    const actor = workerOf(this.deps.worker, this.run);
    return withRead(this.deps.db, actor, (tx) => loadSnapshot(tx, actor, { clinicId, fromDate, untilDate }), {
      isolation: "repeatable read",
      deadlineMs: 30_000,
    });
  }

  /** Null: it was stopped before it came to a plan that counts. */
  private async solve(problem: Parameters<typeof solveInThread>[0]): Promise<Solution | null> {
    const { seed, effort, timeLimitMs } = this.run;
    const onProgress = (progress: SolveProgress) => {
      this.progress = progress;
    };
    const solving = this.deps.solve(problem, { seed, effort, timeLimitMs }, { onProgress, signal: this.stopping.signal });
    const ended = new AbortController();
    const looking = this.lookUntil(ended.signal);
    try {
      const solution = await solving;
      return this.why === null ? solution : null;
    } catch (error) {
      if (this.why !== null) return null;
      throw error;
    } finally {
      ended.abort();
      await looking;
    }
  }

  private async lookUntil(ended: AbortSignal): Promise<void> {
    for (;;) {
      await this.lookNow();
      if (this.why !== null) break;
      await sleepFor(this.lookMs, undefined, { signal: AbortSignal.any([ended, this.control.signal]) }).catch(() => {});
      if (ended.aborted) return;
    }
    this.stopping.abort();
  }

  private async lookNow(): Promise<void> {
    this.why = this.control.signal.aborted ? "STOPPED" : await this.look();
    this.control.heartbeat?.();
  }

  /** Renews the lease and says how far the solve is. An outage is no reason to stop: the plan may still be there when the database is back. */
  private async look(): Promise<"CANCELLED" | "FENCED" | null> {
    const { db, worker } = this.deps;
    const { id, fence } = this.run;
    try {
      const rows = await withTx(
        db,
        workerOf(worker, this.run),
        (tx) => tx.sql<{ wanted: string }[]>`
          update planning_runs
          set lease_until = clock_timestamp() + ${this.leaseMs} * interval '1 millisecond', progress = ${JSON.stringify(this.progress)}::jsonb
          where id = ${id} and fence = ${fence} and state = 'CALCULATING'
          returning wanted`,
        { deadlineMs: this.leaseMs / 3 },
      );
      if (rows.length === 0) return "FENCED";
      return rows[0]?.wanted === "CANCEL" ? "CANCELLED" : null;
    } catch {
      return null;
    }
  }

  private async stopped(): Promise<Calculated> {
    const { db, worker } = this.deps;
    if (this.why === "CANCELLED") return this.end("CANCELLED");
    if (this.why === "STOPPED" && (await giveBack(db, worker, this.run))) return { claimed: 1, state: "REQUESTED", solveMs: null };
    return { claimed: 1, state: "FENCED", solveMs: null };
  }

  private async end(reason: PlanningReason): Promise<Calculated> {
    const { db, worker } = this.deps;
    const isOurs = await endCalculation(db, worker, this.run, reason);
    return { claimed: 1, state: isOurs ? (reason === "CANCELLED" ? "DISCARDED" : "FAILED") : "FENCED", solveMs: null };
  }
}
