import type { Tx } from "@/db/client";

/** A step of STAFF's decision: the poison head may be tried once more. Its attempts stay counted, so one more refusal stops it again. */
export async function retryEntry(tx: Tx, entry: { id: string; version: string }): Promise<void> {
  const rows = await tx.sql`
    update outbox
    set state = 'PENDING', next_attempt_at = null
    where event_id = ${entry.id}
      and fence = ${entry.version}
      and state is not distinct from 'FAILED'
    returning event_id`;
  if (rows.length !== 1) throw new Error("a stopped event was changed beside its lock");
}
