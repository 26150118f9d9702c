import type { Tx } from "@/db/client";
import type { AuditChainView, AuditScope } from "./audit-types";

type LastCheck = NonNullable<AuditChainView["lastCheck"]>;

/** How far the chain of the tenant group reaches, what waits for a place, and what the last check of it found. Four statements. */
export async function auditChain(tx: Tx, scope: AuditScope): Promise<AuditChainView> {
  const { tenantGroupId } = scope;
  const [head] = await tx.sql<{ seq: string; sealed_at: string }[]>`
    select seq, sealed_at from audit_seals where tenant_group_id = ${tenantGroupId} order by seq desc limit 1`;
  const [waiting] = await tx.sql<{ unsealed: number; oldest: number | null; checking: boolean; as_of: string }[]>`
    select count(*)::int as unsealed, extract(epoch from clock_timestamp() - min(at))::float8 as oldest,
      exists (select from audit_verifications v where v.tenant_group_id = ${tenantGroupId} and v.state = 'REQUESTED') as checking,
      clock_timestamp() as as_of
    from audit_entries
    where tenant_group_id = ${tenantGroupId} and sealed_seq is null`;
  const [lastCheck] = await tx.sql<LastCheck[]>`
    select finished_at as "finishedAt", through_seq as "throughSeq", checkpoints, requested_by as "requestedBy", fault, fault_seq as "faultSeq"
    from audit_verifications
    where tenant_group_id = ${tenantGroupId} and state = 'DONE'
    order by requested_at desc
    limit 1`;
  return {
    sealedThrough: head?.seq ?? null,
    sealedAt: head?.sealed_at ?? null,
    unsealed: waiting?.unsealed ?? 0,
    oldestUnsealedSeconds: waiting?.oldest ?? null,
    lastCheck: lastCheck ?? null,
    isChecking: waiting?.checking ?? false,
    hours: await sealsByHour(tx, tenantGroupId),
    asOf: waiting?.as_of ?? "",
  };
}

/** The last bar is the running hour. */
async function sealsByHour(tx: Tx, tenantGroupId: string): Promise<number[]> {
  const rows = await tx.sql<{ ago: number; count: number }[]>`
    select floor(extract(epoch from clock_timestamp() - sealed_at) / 3600)::int as ago, count(*)::int as count
    from audit_seals
    where tenant_group_id = ${tenantGroupId} and sealed_at > clock_timestamp() - interval '24 hours'
    group by 1`;
  const counts = new Map(rows.map((row) => [row.ago, row.count]));
  return Array.from({ length: 24 }, (_, n) => counts.get(23 - n) ?? 0);
}
