import type { Tx } from "@/db/client";

/** A step of STAFF's decision: the waiting row is due at `at` (null: now). The caller holds its lock. Answers the time, as PostgreSQL text. */
export async function moveNextAttempt(tx: Tx, row: { id: string; version: string }, at: string | null): Promise<string> {
  const [moved] = await tx.sql<{ next_attempt_at: string }[]>`
    update inbox
    set next_attempt_at = coalesce(${at}::timestamptz, clock_timestamp()), version = version + 1, updated_at = clock_timestamp()
    where id = ${row.id}
      and version = ${row.version}
      and state is not distinct from 'RETRYABLE'
      and blocked_by is null
    returning next_attempt_at`;
  if (!moved) throw new Error("a waiting row was changed beside its lock");
  return moved.next_attempt_at;
}
