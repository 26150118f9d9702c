import { type Db, type Tx, withRead, withTx } from "@/db/client";
import { sqlstate } from "@/db/tx-error";
import type { DigestRing } from "@/server/canonical-hash";
import { chainStart, type DigestedEntry, digestedColumns, entryDigest, type Seal, sealHash, sealVersion } from "./entry-digest";

export type SealDeps = { worker: string; ring: DigestRing; limit?: number };

/**
 * Gives entries without a place their place in the chain of their tenant group: one bounded batch for each group. Entries are found by having none,
 * never by order of id, or one that was committed late would be passed over for ever. Counts what was sealed.
 */
export async function sealOnce(db: Db, deps: SealDeps): Promise<{ sealed: number; lostRaces: number }> {
  const waiting = await withRead(
    db,
    { worker: deps.worker },
    (tx) => tx.sql<{ id: string }[]>`
      select id from tenant_groups g
      where exists (select from audit_entries e where e.tenant_group_id = g.id and e.sealed_seq is null)`,
  );
  const counts = { sealed: 0, lostRaces: 0 };
  for (const { id } of waiting) {
    const sealed = await sealGroup(db, id, deps);
    if (sealed === "LOST_RACE") counts.lostRaces += 1;
    else counts.sealed += sealed;
  }
  return counts;
}

/** The lock keeps a second sealer from useless work; that a chain never forks is held by the unique keys of (group, seq) and (group, previous hash). */
async function sealGroup(db: Db, tenantGroupId: string, deps: SealDeps): Promise<number | "LOST_RACE"> {
  try {
    return await withTx(db, { worker: deps.worker, tenantGroupId }, async (tx) => {
      const [lock] = await tx.sql<{ held: boolean }[]>`
        select pg_try_advisory_xact_lock(hashtextextended('audit-chain:' || ${tenantGroupId}, 0)) as held`;
      return lock?.held ? sealBatch(tx, tenantGroupId, deps) : 0;
    });
  } catch (error) {
    if (sqlstate(error) === "23505") return "LOST_RACE"; // another sealer extended the same head: its seals stand
    throw error;
  }
}

async function sealBatch(tx: Tx, tenantGroupId: string, { ring, limit = 500 }: SealDeps): Promise<number> {
  const [head] = await tx.sql<{ seq: string; hash: string }[]>`
    select seq, hash from audit_seals where tenant_group_id = ${tenantGroupId} order by seq desc limit 1`;
  const entries = await tx.sql<DigestedEntry[]>`
    select ${digestedColumns(tx)} from audit_entries e
    where e.tenant_group_id = ${tenantGroupId} and e.sealed_seq is null
    order by e.at, e.id
    limit ${limit}`;
  if (entries.length === 0) return 0;
  const seals: (Seal & { hash: string })[] = [];
  for (const entry of entries) {
    const before = seals.at(-1) ?? { seq: BigInt(head?.seq ?? 0), hash: head?.hash ?? chainStart };
    const seal = {
      tenantGroupId,
      seq: before.seq + 1n,
      entryId: entry.id,
      entryDigest: entryDigest(ring, entry),
      prevHash: before.hash,
    };
    seals.push({ ...seal, hash: sealHash(ring, seal) });
  }
  await storeSeals(tx, tenantGroupId, seals, ring.active);
  return seals.length;
}

async function storeSeals(tx: Tx, tenantGroupId: string, seals: (Seal & { hash: string })[], keyId: string): Promise<void> {
  const column = (of: (seal: Seal & { hash: string }) => string) => seals.map(of);
  const rows = await tx.sql`
    with sealed as (
      insert into audit_seals (tenant_group_id, seq, entry_id, entry_digest, prev_hash, hash, version, key_id)
      select ${tenantGroupId}, seq, entry_id, entry_digest, prev_hash, hash, ${sealVersion}, ${keyId}
      from unnest(${column((s) => String(s.seq))}::bigint[], ${column((s) => s.entryId)}::uuid[], ${column((s) => s.entryDigest)}::text[],
        ${column((s) => s.prevHash)}::text[], ${column((s) => s.hash)}::text[]) as s (seq, entry_id, entry_digest, prev_hash, hash)
      returning entry_id, seq
    )
    update audit_entries e set sealed_seq = sealed.seq
    from sealed
    where e.id = sealed.entry_id and e.tenant_group_id = ${tenantGroupId} and e.sealed_seq is null
    returning e.id`;
  if (rows.length !== seals.length) throw new Error("an entry was sealed or removed while its seal was written");
}
