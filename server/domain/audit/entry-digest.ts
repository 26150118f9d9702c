import type { Tx } from "@/db/client";
import { type DigestRing, keyedDigest } from "@/server/canonical-hash";

/** Framing of digest and seal; a change of either is another version. */
export const sealVersion = 1;

/** All that a digest covers, as PostgreSQL's own text. */
export type DigestedEntry = { id: string; parts: (string | null)[] };

/** Columns of an entry for its digest: select ${digestedColumns(tx)} from audit_entries e. Everything but its place in the chain. */
export const digestedColumns = (tx: Tx) => tx.sql`
  e.id,
  array[e.id::text, e.tenant_group_id::text, e.clinic_id::text, e.actor_kind, e.actor_id, e.actor_ref, e.actor_role, e.act, e.result, e.reason_code,
    e.reason, e.subject_type, e.subject_id::text, e.command_id::text, e.details::text, e.once_key, e.at::text] as parts`;

export function entryDigest(ring: DigestRing, entry: DigestedEntry, keyId?: string): string {
  return keyedDigest(ring, "audit-entry.v1", entry.parts, keyId).digest;
}

export type Seal = { tenantGroupId: string; seq: bigint; entryId: string; entryDigest: string; prevHash: string };

/** What the seal before the first one would have had. */
export const chainStart = "0".repeat(64);

export function sealHash(ring: DigestRing, seal: Seal, keyId?: string): string {
  const parts = [seal.tenantGroupId, String(seal.seq), seal.entryId, seal.entryDigest, seal.prevHash];
  return keyedDigest(ring, "audit-seal.v1", parts, keyId).digest;
}
