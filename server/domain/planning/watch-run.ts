import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { toIso } from "@/server/clock";
import type { PersonActor } from "@/server/domain/scope/actor";
import { type PlanningDecision, planningNextActions } from "./next-actions";
import { askingRole } from "./request-run";
import type { SolveProgress } from "./solver/types";
import type { PlanningState } from "./types";

/** What whoever asked for a plan sees of it: how far it is, and how it ended. Who moves where is shown by the console. */
export type WatchedRun = {
  id: string;
  ref: string;
  state: PlanningState;
  fromDate: string;
  untilDate: string;
  requestedAt: string;
  progress: SolveProgress | null;
  timeLimitMs: number;
  movable: number | null;
  moves: number | null;
  unplaced: number | null;
  /** Affected or chosen, and left where they are: for somebody to see to by hand. */
  stays: number;
  endedReason: string | null;
  probablyStale: boolean;
  cancel: PlanningDecision;
};

/** FRONT_DESK of the clinic or STAFF. Throws right-missing, not-found. */
export async function watchRun(tx: Tx, actor: PersonActor, clinicId: string, runId: string): Promise<WatchedRun> {
  askingRole(actor, clinicId);
  const [row] = await tx.sql`
    select id, ref, state, wanted, from_date, until_date, requested_at, requested_by_id, progress, time_limit_ms, movable, moves, unplaced, stays, ended_reason,
           probably_stale_at is not null as probably_stale
    from planning_runs
    where id = ${runId} and clinic_id = ${clinicId}`;
  if (!row) throw new AppError("not-found");
  const { state, wanted, moves } = row;
  const { cancel } = planningNextActions({ clinicId, state, wanted, moves, requestedById: row.requested_by_id }, actor);
  return {
    id: row.id,
    ref: row.ref,
    state,
    fromDate: row.from_date,
    untilDate: row.until_date,
    requestedAt: toIso(row.requested_at),
    progress: row.progress,
    timeLimitMs: row.time_limit_ms,
    movable: row.movable,
    moves,
    unplaced: row.unplaced,
    stays: row.stays,
    endedReason: row.ended_reason,
    probablyStale: row.probably_stale,
    cancel,
  };
}
