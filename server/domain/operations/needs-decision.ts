import type { Tx } from "@/db/client";
import type { OperationsScope } from "./types";

/** Rows that only a person can move on: stopped or not publishable, and nobody has decided to keep them. From the counters of the reason groups. */
export async function needsDecision(tx: Tx, scope: OperationsScope): Promise<number> {
  const [row] = await tx.sql<{ count: number }[]>`
    select coalesce(sum(open), 0)::int as count
    from delivery_groups
    where tenant_group_id = ${scope.tenantGroupId} and clinic_id = any (${[...scope.clinicIds]}::uuid[])`;
  return row?.count ?? 0;
}
