import { type Db, type TxActor, withRead } from "@/db/client";
import type { DigestRing } from "@/server/canonical-hash";
import { type Checkpoint, isSigned } from "./checkpoint";
import { chainStart, digestedColumns, entryDigest, type Seal, sealHash } from "./entry-digest";

/**
 * ENTRY_MISSING · ENTRY_CHANGED: what a seal stands for is gone, or is another text now · SEAL_MISSING: a gap, or an entry whose seal is gone ·
 * SEAL_CHANGED · LINK_BROKEN: a seal that does not follow from the one before · TAIL_CUT: a checkpoint knows a later seal ·
 * CHECKPOINT_DIFFERS: the chain was written anew · CHECKPOINT_FORGED: nobody with the key signed it · KEY_MISSING: cannot be judged without it
 */
export const chainFaults = [
  "ENTRY_MISSING",
  "ENTRY_CHANGED",
  "SEAL_MISSING",
  "SEAL_CHANGED",
  "LINK_BROKEN",
  "TAIL_CUT",
  "CHECKPOINT_DIFFERS",
  "CHECKPOINT_FORGED",
  "KEY_MISSING",
] as const;
export type ChainFault = (typeof chainFaults)[number];
export type Verified = { throughSeq: string; checkpoints: number; fault: { code: ChainFault; seq: string } | null };

type SealRow = {
  seq: string;
  entry_id: string;
  entry_digest: string;
  prev_hash: string;
  hash: string;
  key_id: string;
  id: string | null;
  sealed_seq: string | null;
  parts: (string | null)[];
};
export type VerifyDeps = { actor: TxActor; ring: DigestRing; checkpoints: readonly Checkpoint[]; batch?: number; onBatch?: () => void };

/**
 * Reads the whole chain of a tenant group from its first seal, in bounded parts, and stops at the first fault. Without checkpoints a cut tail and a
 * chain that was written anew with the key cannot be seen. Throws when the database does.
 */
export async function verifyChain(db: Db, tenantGroupId: string, deps: VerifyDeps): Promise<Verified> {
  const wanted = new Map<string, Checkpoint[]>();
  for (const one of deps.checkpoints.filter((checkpoint) => checkpoint.tenantGroupId === tenantGroupId))
    wanted.set(one.seq, [...(wanted.get(one.seq) ?? []), one]);
  const forged = [...wanted.values()].flat().find((checkpoint) => !isSigned(deps.ring, checkpoint));
  let head = { seq: 0n, hash: chainStart };
  let compared = 0;
  const end = (code?: ChainFault, seq = head.seq + 1n): Verified => ({
    throughSeq: String(head.seq),
    checkpoints: compared,
    fault: code ? { code, seq: String(seq) } : null,
  });
  if (forged) return end("CHECKPOINT_FORGED", BigInt(forged.seq));
  for (;;) {
    const rows = await readSeals(db, tenantGroupId, head.seq, deps);
    for (const row of rows) {
      const fault = faultOf(deps.ring, tenantGroupId, head, row);
      if (fault) return end(fault);
      const known = wanted.get(row.seq) ?? [];
      if (known.some((checkpoint) => checkpoint.hash !== row.hash)) return end("CHECKPOINT_DIFFERS");
      compared += known.length;
      head = { seq: BigInt(row.seq), hash: row.hash };
    }
    if (rows.length === 0) break;
    deps.onBatch?.();
  }
  const later = [...wanted.keys()].map(BigInt).find((seq) => seq > head.seq);
  if (later !== undefined) return end("TAIL_CUT", head.seq + 1n);
  return (await hasOrphan(db, tenantGroupId, head.seq, deps)) ? end("SEAL_MISSING") : end();
}

function readSeals(db: Db, tenantGroupId: string, after: bigint, { actor, batch = 1_000 }: VerifyDeps): Promise<SealRow[]> {
  return withRead(db, actor, async (tx) => [
    ...(await tx.sql<SealRow[]>`
      select s.seq, s.entry_id, s.entry_digest, s.prev_hash, s.hash, s.key_id, e.sealed_seq, ${digestedColumns(tx)}
      from audit_seals s
      left join audit_entries e on e.id = s.entry_id and e.tenant_group_id = s.tenant_group_id
      where s.tenant_group_id = ${tenantGroupId} and s.seq > ${String(after)}::bigint
      order by s.seq
      limit ${batch}`),
  ]);
}

function faultOf(ring: DigestRing, tenantGroupId: string, before: { seq: bigint; hash: string }, row: SealRow): ChainFault | undefined {
  if (BigInt(row.seq) !== before.seq + 1n) return "SEAL_MISSING";
  if (row.prev_hash !== before.hash) return "LINK_BROKEN";
  if (!ring.keys.has(row.key_id)) return "KEY_MISSING";
  const seal: Seal = {
    tenantGroupId,
    seq: BigInt(row.seq),
    entryId: row.entry_id,
    entryDigest: row.entry_digest,
    prevHash: row.prev_hash,
  };
  if (sealHash(ring, seal, row.key_id) !== row.hash) return "SEAL_CHANGED";
  if (row.id === null) return "ENTRY_MISSING";
  const digest = entryDigest(ring, { id: row.id, parts: row.parts }, row.key_id);
  return digest === row.entry_digest && row.sealed_seq === row.seq ? undefined : "ENTRY_CHANGED";
}

/** An entry that says it is sealed beyond the last seal: its seal was taken away. */
function hasOrphan(db: Db, tenantGroupId: string, head: bigint, { actor }: VerifyDeps): Promise<boolean> {
  return withRead(db, actor, async (tx) => {
    const [row] = await tx.sql<{ found: boolean }[]>`
      select exists (select from audit_entries where tenant_group_id = ${tenantGroupId} and sealed_seq > ${String(head)}::bigint) as found`;
    return row?.found ?? false;
  });
}
