import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { type Db, withRead } from "@/db/client";
import { type DigestRing, keyedDigest } from "@/server/canonical-hash";

/**
 * Head of a chain at an instant, signed, for keeping outside of the database: a chain by itself tells neither that its tail was cut nor that all of
 * it was written anew.
 */
export const checkpointSchema = z.object({
  tenantGroupId: z.uuid(),
  seq: z.string().regex(/^\d{1,19}$/),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.string().max(40),
  keyId: z.string().max(16),
  signature: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

const signatureOf = (ring: DigestRing, { tenantGroupId, seq, hash, at }: Omit<Checkpoint, "keyId" | "signature">, keyId?: string) =>
  keyedDigest(ring, "audit-checkpoint.v1", [tenantGroupId, seq, hash, at], keyId);

/** Checkpoints of all chains that are longer than `after` says; a chain that it does not name counts as new. */
export async function takeCheckpoints(db: Db, worker: string, ring: DigestRing, after: ReadonlyMap<string, string>): Promise<Checkpoint[]> {
  const heads = await withRead(
    db,
    { worker },
    (tx) => tx.sql<{ tenant_group_id: string; seq: string; hash: string; at: string }[]>`
      select g.id as tenant_group_id, head.seq, head.hash, clock_timestamp() as at
      from tenant_groups g
      cross join lateral (select seq, hash from audit_seals s where s.tenant_group_id = g.id order by seq desc limit 1) head`,
  );
  return heads
    .filter((head) => after.get(head.tenant_group_id) !== head.seq)
    .map(({ tenant_group_id, seq, hash, at }) => {
      const checkpoint = { tenantGroupId: tenant_group_id, seq, hash, at };
      const { digest, keyId } = signatureOf(ring, checkpoint);
      return { ...checkpoint, keyId, signature: digest };
    });
}

/** Whether whoever holds the ring has signed it. */
export function isSigned(ring: DigestRing, checkpoint: Checkpoint): boolean {
  if (!ring.keys.has(checkpoint.keyId)) return false;
  const { digest } = signatureOf(ring, checkpoint, checkpoint.keyId);
  return timingSafeEqual(Buffer.from(digest, "hex"), Buffer.from(checkpoint.signature, "hex"));
}

/** Checkpoints in a text of one JSON document a line: a file of them, or the log of the workers, in which each stands under `checkpoint`. */
export function readCheckpoints(text: string): Checkpoint[] {
  return text.split("\n").flatMap((line) => {
    if (!line.includes('"signature"')) return [];
    try {
      const value = JSON.parse(line) as { checkpoint?: unknown };
      const read = checkpointSchema.safeParse(value.checkpoint ?? value);
      return read.success ? [read.data] : [];
    } catch {
      return []; // half a line, as a killed process leaves it
    }
  });
}
