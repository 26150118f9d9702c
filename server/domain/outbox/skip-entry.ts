import type { Tx } from "@/db/client";

/** A step of STAFF's decision: the poison head is never published, and the later events of its key go on. Its reason stays. */
export async function skipEntry(tx: Tx, entry: { id: string; version: string }): Promise<void> {
  const rows = await tx.sql`
    update outbox
    set state = 'SKIPPED'
    where event_id = ${entry.id}
      and fence = ${entry.version}
      and state is not distinct from 'FAILED'
    returning event_id`;
  if (rows.length !== 1) throw new Error("a stopped event was changed beside its lock");
}
