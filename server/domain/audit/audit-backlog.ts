import type { Tx } from "@/db/client";

export type AuditBacklog = { unsealed: number; oldestSeconds: number; brokenChains: number };

/** Entries without a place in their chain, and chains whose last check found a fault, over all tenant groups. One statement, by indexes. */
export async function auditBacklog(tx: Tx): Promise<AuditBacklog> {
  const [row] = await tx.sql<AuditBacklog[]>`
    select waiting.unsealed, waiting."oldestSeconds", broken.chains as "brokenChains"
    from (
      select count(*)::int as unsealed, coalesce(extract(epoch from clock_timestamp() - min(at)), 0)::float8 as "oldestSeconds"
      from audit_entries where sealed_seq is null
    ) waiting,
    (
      select count(*)::int as chains
      from tenant_groups g
      cross join lateral (
        select fault from audit_verifications v where v.tenant_group_id = g.id and state = 'DONE' order by requested_at desc limit 1) last
      where last.fault is not null
    ) broken`;
  if (!row) throw new Error("an aggregate without a row");
  return row;
}
