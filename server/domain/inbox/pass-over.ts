import type { Tx } from "@/db/client";

/**
 * A step of STAFF's decision: later events of the aggregate no longer wait for this stopped row. The applied sequence moves on to its own, so that
 * nothing waits for it and a later replay of it has no effect (SEQUENCE_REGRESSION); the row itself stays stopped. The caller holds its lock.
 * Answers how many rows are due now.
 */
export async function passOver(tx: Tx, row: { id: string }): Promise<number> {
  const released = await tx.sql`
    with passed as (
      insert into inbox_sequences as s (tenant_group_id, clinic_id, consumer, aggregate_type, aggregate_id, last_applied_seq)
      select tenant_group_id, clinic_id, consumer, aggregate_type, aggregate_id, aggregate_seq
      from inbox
      where id = ${row.id}
      on conflict (consumer, aggregate_type, aggregate_id) do update
      set last_applied_seq = excluded.last_applied_seq
      where s.last_applied_seq < excluded.last_applied_seq
    )
    update inbox
    set blocked_by = null,
        reason_code = 'UNBLOCKED',
        next_attempt_at = clock_timestamp(),
        version = version + 1,
        updated_at = clock_timestamp()
    where blocked_by = ${row.id}
    returning id`;
  return released.length;
}

/**
 * Whether STAFF have passed over an unfinished row `earlier`: the sequence applied for its aggregate has reached it. Asked only of rows that would
 * stand in the way, so that an aggregate without any pays nothing.
 */
export const passedOver = (tx: Tx) => tx.sql`
  select 1
  from inbox_sequences passed
  where passed.consumer = earlier.consumer
    and passed.aggregate_type = earlier.aggregate_type
    and passed.aggregate_id = earlier.aggregate_id
    and passed.last_applied_seq >= earlier.aggregate_seq`;
