import type { Row } from "postgres";
import type { Tx } from "@/db/client";
import type { FactGroup } from "./snapshot/types";
import type { Effort } from "./solver/types";
import type { PlanningState } from "./types";

/** A run as the commands and the solver need it; what the console shows is read by server/domain/operations. */
export type PlanningRun = {
  id: string;
  tenantGroupId: string;
  clinicId: string;
  ref: string;
  state: PlanningState;
  fromDate: string;
  untilDate: string;
  chosenIds: string[];
  keptIds: string[];
  requestedById: string;
  requestedByRef: string;
  previousRunId: string | null;
  previousAs: "RECALCULATION" | "PART" | null;
  seed: number;
  effort: Effort;
  timeLimitMs: number;
  wanted: "RUN" | "CANCEL";
  fence: string;
  calculations: number;
  factVersion: string | null;
  factGroups: Record<FactGroup, string> | null;
  moves: number | null;
  applyAttempts: number;
  workerAttempts: number;
  applyById: string | null;
  applyByRef: string | null;
};

/** One run of a clinic. `lock`: held until the transaction ends, so that two who decide at once decide one after the other. */
export async function readRun(tx: Tx, clinicId: string, runId: string, lock = false): Promise<PlanningRun | null> {
  const [row] = await tx.sql`
    select * from planning_runs where id = ${runId} and clinic_id = ${clinicId} ${lock ? tx.sql`for no key update` : tx.sql``}`;
  return row ? toRun(row) : null;
}

/** By its reference. */
export async function findRun(tx: Tx, clinicId: string, ref: string): Promise<PlanningRun | null> {
  const [row] = await tx.sql`select * from planning_runs where ref = ${ref} and clinic_id = ${clinicId}`;
  return row ? toRun(row) : null;
}

export const toRun = (row: Row): PlanningRun => ({
  id: row.id,
  tenantGroupId: row.tenant_group_id,
  clinicId: row.clinic_id,
  ref: row.ref,
  state: row.state,
  fromDate: row.from_date,
  untilDate: row.until_date,
  chosenIds: row.chosen_ids,
  keptIds: row.kept_ids,
  requestedById: row.requested_by_id,
  requestedByRef: row.requested_by_ref,
  previousRunId: row.previous_run_id,
  previousAs: row.previous_as,
  seed: row.seed,
  effort: row.effort,
  timeLimitMs: row.time_limit_ms,
  wanted: row.wanted,
  fence: row.fence,
  calculations: row.calculations,
  factVersion: row.fact_version,
  factGroups: row.fact_groups,
  moves: row.moves,
  applyAttempts: row.apply_attempts,
  workerAttempts: row.worker_attempts,
  applyById: row.apply_by_id,
  applyByRef: row.apply_by_ref,
});
