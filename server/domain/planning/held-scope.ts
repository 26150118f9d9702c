import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { testPoint } from "@/server/test-points";

/** Says that a transaction has begun as the fence asks; nobody else can make one, so no door applies a plan without it. */
export class HeldScope {
  private constructor(readonly clinicId: string) {}

  /**
   * The first query of every transaction that applies a plan: the clinic's planning scope, locked, so that the snapshot is as young as the lock. A fact
   * writer in flight makes it 40001, and the next run sees the fact; a later one waits until we have ended.
   * Throws AppError not-found; Error when the transaction is not SERIALIZABLE, in which case a bump that was committed meanwhile would pass unseen.
   */
  static async lock(tx: Tx, of: { tenantGroupId: string; clinicId: string; runId: string; run: number }): Promise<HeldScope> {
    const { tenantGroupId, clinicId, runId, run } = of;
    await testPoint("planning.beforeScopeLock", { runId, run });
    const [scope] = await tx.sql<{ isolation: string }[]>`
      select current_setting('transaction_isolation') as isolation
      from planning_scopes
      where tenant_group_id = ${tenantGroupId} and clinic_id = ${clinicId}
      for no key update`;
    if (!scope) throw new AppError("not-found");
    if (scope.isolation !== "serializable")
      throw new Error(`a plan is applied by a SERIALIZABLE transaction, not by a ${scope.isolation} one`);
    await testPoint("planning.scopeLocked", { runId, run });
    return new HeldScope(clinicId);
  }
}
