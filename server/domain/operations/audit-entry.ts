import type { Tx } from "@/db/client";
import type { DigestRing } from "@/server/canonical-hash";
import { chainStart, sealHash } from "@/server/domain/audit/entry-digest";
import { auditRows } from "./audit-list";
import type { AuditEntryView, AuditRow, AuditScope } from "./audit-types";

const relatedMax = 20;

/** One entry with its place in the chain, whether both digests hold now, and what belongs to it; null when it is not in the reader's clinics. */
export async function auditEntry(tx: Tx, scope: AuditScope, id: string, ring: DigestRing): Promise<AuditEntryView | null> {
  const [found] = await tx.sql<{ id: string }[]>`
    select id from audit_entries
    where id = ${id} and tenant_group_id = ${scope.tenantGroupId}
      and (clinic_id = any (${[...scope.clinicIds]}::uuid[]) or (clinic_id is null and ${scope.withGroup}))`;
  if (!found) return null;
  const [row] = await auditRows(tx, [id], ring);
  if (!row) return null;
  const place = row.seq === null ? null : await placeOf(tx, scope.tenantGroupId, row, ring);
  const related = await relatedOf(tx, scope, row);
  const [clock] = await tx.sql<{ as_of: string }[]>`select clock_timestamp() as as_of`;
  return { ...row, place, ...related, asOf: clock?.as_of ?? "" };
}

type SealRow = { seq: string; hash: string; prev_hash: string; entry_digest: string; key_id: string; sealed_at: string };

async function placeOf(tx: Tx, tenantGroupId: string, row: AuditRow, ring: DigestRing): Promise<AuditEntryView["place"]> {
  const seq = BigInt(row.seq as string);
  const seals = await tx.sql<SealRow[]>`
    select seq, hash, prev_hash, entry_digest, key_id, sealed_at
    from audit_seals
    where tenant_group_id = ${tenantGroupId} and seq between ${String(seq - 1n)}::bigint and ${String(seq + 1n)}::bigint`;
  const at = (wanted: bigint) => seals.find((seal) => BigInt(seal.seq) === wanted);
  const [before, own, after] = [at(seq - 1n), at(seq), at(seq + 1n)];
  if (!own) return null;
  const link = (seal: SealRow | undefined) => (seal ? { seq: seal.seq, hash: seal.hash } : null);
  return {
    sealedAt: own.sealed_at,
    digest: own.entry_digest,
    keyId: own.key_id,
    hash: own.hash,
    before: link(before),
    after: link(after),
    ...holds(tenantGroupId, row, own, before?.hash ?? (seq === 1n ? chainStart : undefined), ring),
  };
}

function holds(tenantGroupId: string, row: AuditRow, own: SealRow, hashBefore: string | undefined, ring: DigestRing) {
  if (!ring.keys.has(own.key_id)) return { digestHolds: null, linkHolds: null };
  const seal = { tenantGroupId, seq: BigInt(own.seq), entryId: row.id, entryDigest: own.entry_digest, prevHash: own.prev_hash };
  return {
    digestHolds: row.digest === own.entry_digest,
    linkHolds: own.prev_hash === hashBefore && sealHash(ring, seal, own.key_id) === own.hash,
  };
}

async function relatedOf(
  tx: Tx,
  scope: AuditScope,
  row: AuditRow,
): Promise<Pick<AuditEntryView, "related" | "relatedCount" | "relatedOf">> {
  const of = row.commandId ?? row.subjectId;
  if (!of) return { related: [], relatedCount: 0, relatedOf: null };
  const same = row.commandId ? tx.sql`command_id = ${of}` : tx.sql`subject_id = ${of}`;
  const rows = await tx.sql<(AuditEntryView["related"][number] & { count: number })[]>`
    select id, at, actor_ref as "actorRef", act, result, count(*) over ()::int as count
    from audit_entries
    where ${same} and tenant_group_id = ${scope.tenantGroupId} and (clinic_id is null or clinic_id = any (${[...scope.clinicIds]}::uuid[]))
    order by at, id
    limit ${relatedMax}`;
  return { related: rows.map(({ count: _, ...one }) => one), relatedCount: rows[0]?.count ?? 0, relatedOf: of };
}
