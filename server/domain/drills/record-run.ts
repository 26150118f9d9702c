import { type Db, withTx } from "@/db/client";
import { newRef } from "@/server/ids";
import type { DrillName } from "./catalog";
import type { DrillReason, InvariantRecord, StepRecord } from "./types";

export type FinishedRun = {
  drill: DrillName;
  startedByRef: string;
  reason: DrillReason | null;
  durationMs: number;
  steps: StepRecord[];
  invariants: InvariantRecord[];
};

/** Stores a run that the command line has carried out on a throw-away set-up, as one of the whole installation. Answers its reference. */
export async function recordRun(db: Db, worker: string, run: FinishedRun): Promise<string> {
  const ref = newRef("DR");
  await withTx(
    db,
    { worker },
    (tx) => tx.sql`
      insert into drill_runs (ref, drill, carried_out, started_by_kind, started_by_ref, state, reason_code, steps, invariants, started_at, ended_at, duration_ms)
      values (${ref}, ${run.drill}, 'AUTOMATED', 'command-line', ${run.startedByRef}, ${run.reason ? "FAILED" : "PASSED"}, ${run.reason},
        ${JSON.stringify(run.steps)}::jsonb, ${JSON.stringify(run.invariants)}::jsonb,
        clock_timestamp() - ${run.durationMs} * interval '1 millisecond', clock_timestamp(), ${run.durationMs}::int4)`,
  );
  return ref;
}
