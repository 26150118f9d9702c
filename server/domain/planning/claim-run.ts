import { type Db, type Tx, withTx } from "@/db/client";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { testPoint } from "@/server/test-points";
import { type PlanningRun, toRun } from "./read-run";
import { claimMove, type PlanningReason } from "./states";

/** A run that this solver holds by fence. */
export type ClaimedRun = PlanningRun;

export const workerOf = (worker: string, { tenantGroupId }: { tenantGroupId: string }) =>
  ({ kind: "worker", worker, tenantGroupId }) as const;

/**
 * Claims the run that waits longest, or one that a dead solver left: fence + 1 and a lease, in a transaction of its own with its audit entry. A run that a
 * person has cancelled, or over which solver after solver died, ends here. Null: nothing to do.
 */
export function claimRun(db: Db, worker: string, leaseMs: number): Promise<ClaimedRun | "ENDED" | null> {
  return withTx(db, { worker }, async (tx) => {
    const [row] = await tx.sql`
      select *
      from planning_runs
      where state = 'REQUESTED' or (state = 'CALCULATING' and lease_until <= clock_timestamp())
      order by requested_at
      limit 1
      for no key update skip locked`;
    if (!row) return null;
    const run = toRun(row);
    if (run.wanted === "CANCEL") return end(tx, worker, run, "CANCELLED");
    if (claimMove(run.calculations) === "GIVE_UP") return end(tx, worker, run, "SOLVER_LOST");
    await testPoint("planning.beforeClaim", run);
    const [claimed] = await tx.sql`
      update planning_runs
      set state = 'CALCULATING', fence = fence + 1, lease_owner = ${worker}, lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
          calculations = calculations + 1, started_at = clock_timestamp(), progress = null, version = version + 1
      where id = ${run.id}
      returning *`;
    const mine = toRun(claimed as never);
    await audit(tx, worker, mine, run.state === "CALCULATING" ? "planning.taken-over" : "planning.started");
    return mine;
  });
}

async function end(tx: Tx, worker: string, run: PlanningRun, reason: PlanningReason): Promise<"ENDED"> {
  await writeEnd(tx, run, reason);
  await audit(tx, worker, run, "planning.ended", reason);
  return "ENDED";
}

/** A person's wish discards a run; everything else means that it could not be calculated. */
const endStateOf = (reason: PlanningReason) => (reason === "CANCELLED" ? "DISCARDED" : "FAILED");

async function writeEnd(tx: Tx, run: PlanningRun, reason: PlanningReason): Promise<void> {
  await tx.sql`
    update planning_runs
    set state = ${endStateOf(reason)}, ended_at = clock_timestamp(), ended_reason = ${reason},
        lease_owner = null, lease_until = null, progress = null, version = version + 1
    where id = ${run.id}`;
}

/** Ends a run that this solver holds. False: it is another solver's by now. */
export function endCalculation(db: Db, worker: string, run: ClaimedRun, reason: PlanningReason): Promise<boolean> {
  return withTx(db, workerOf(worker, run), async (tx) => {
    const held =
      await tx.sql`select 1 from planning_runs where id = ${run.id} and fence = ${run.fence} and state = 'CALCULATING' for no key update`;
    if (held.length === 0) return false;
    await end(tx, worker, run, reason);
    return true;
  });
}

/** A solver that stops gives its run back: the next one need not wait for the lease, and no death is counted. */
export function giveBack(db: Db, worker: string, run: ClaimedRun): Promise<boolean> {
  return withTx(db, workerOf(worker, run), async (tx) => {
    const rows = await tx.sql`
      update planning_runs
      set state = 'REQUESTED', lease_owner = null, lease_until = null, progress = null, calculations = calculations - 1, version = version + 1
      where id = ${run.id} and fence = ${run.fence} and state = 'CALCULATING'
      returning 1`;
    return rows.length > 0;
  });
}

const audit = (tx: Tx, worker: string, run: PlanningRun, act: string, reasonCode?: PlanningReason) =>
  appendAuditEntry(tx, workerOf(worker, run), {
    act,
    ...(reasonCode ? { reasonCode } : {}),
    clinicId: run.clinicId,
    subjectType: "planning-run",
    subjectId: run.id,
    details: { run: run.ref, fence: run.fence },
  });
