import { type Db, withTx } from "@/db/client";
import { type PageDrill, pageDrills } from "./catalog";
import { endRun } from "./end-run";
import { newSyntheticScope, removeSyntheticScope, type SyntheticScope } from "./synthetic-scope";

/** A run that this runner holds by fence. */
export type ClaimedRun = { id: string; ref: string; drill: PageDrill; tenantGroupId: string | null; fence: string; scope: SyntheticScope };

/** Runners that may die of one run before it counts as failed. */
const takesMax = 3;

/**
 * Claims a run that waits, or one whose runner died: fence + 1, lease, and a synthetic scope of its own, in one transaction. What a dead runner had done
 * lived in its memory, so the drill begins again, and the scope it left is removed. Null: nothing to do.
 */
export function claimRun(db: Db, worker: string, leaseMs: number): Promise<ClaimedRun | "ENDED" | null> {
  return withTx(db, { worker }, async (tx) => {
    const [found] = await tx.sql`
      select id, ref, drill, tenant_group_id, wanted, fence, scope_id
      from drill_runs
      where drill = any (${pageDrills}::text[])
        and (state = 'REQUESTED' or (state = 'RUNNING' and lease_until <= clock_timestamp()))
      order by requested_at
      limit 1
      for no key update skip locked`;
    if (!found) return null;
    if (found.scope_id) await removeSyntheticScope(tx, found.scope_id);
    const scope = newSyntheticScope();
    const [claimed] = await tx.sql`
      update drill_runs
      set state = 'RUNNING', fence = fence + 1, lease_owner = ${worker}, lease_until = clock_timestamp() + ${leaseMs} * interval '1 millisecond',
          started_at = coalesce(started_at, clock_timestamp()), scope_id = ${scope.tenantGroupId}, scope_ref = ${scope.ref}, steps = '[]', invariants = '[]',
          version = version + 1
      where id = ${found.id}
      returning fence`;
    const run = { id: found.id, ref: found.ref, drill: found.drill, tenantGroupId: found.tenant_group_id, fence: claimed?.fence, scope };
    if (found.wanted === "CANCEL") return endRun(tx, worker, run, { state: "CANCELLED", reason: "STOPPED_BY_STAFF" });
    if (Number(found.fence) >= takesMax) return endRun(tx, worker, run, { state: "FAILED", reason: "RUNNER_LOST" });
    return run;
  });
}
