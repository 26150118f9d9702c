import { type Db, type Tx, withTx } from "@/db/client";
import { toIso } from "@/server/clock";
import type { Envelope } from "@/server/domain/event-log/envelope";

export type ClaimedEntry = Envelope & {
  topic: string;
  partitionKey: string;
  payload: unknown;
  /** Grows with every claim: a marker with an older one changes nothing. */
  fence: string;
  /** Deterministic failures so far. */
  attempts: number;
};

/**
 * Leases up to `limit` entries in a transaction of its own: for each aggregate only the lowest sequence that is not PUBLISHED or SKIPPED, so that two
 * relays never hold two events of one key, and a FAILED head holds its followers back. Takes over entries whose lease ran out.
 * A lower sequence cannot be uncommitted and unseen: it is taken under the aggregate's row lock.
 */
export function claimEntries(db: Db, options: { worker: string; limit: number; leaseMs: number }): Promise<ClaimedEntry[]> {
  const work = async (tx: Tx) => {
    const rows = await tx.sql`
      with heads as materialized (
        select o.event_id
        from outbox o
        where o.state not in ('PUBLISHED', 'SKIPPED')
          and (o.state = 'PENDING' and (o.next_attempt_at is null or o.next_attempt_at <= clock_timestamp())
               or o.state = 'CLAIMED' and o.lease_until <= clock_timestamp())
          and not exists (
            select 1
            from outbox earlier
            where earlier.aggregate_type = o.aggregate_type
              and earlier.aggregate_id = o.aggregate_id
              and earlier.aggregate_seq < o.aggregate_seq
              and earlier.state not in ('PUBLISHED', 'SKIPPED'))
        order by o.occurred_at
        limit ${options.limit}
        for update of o skip locked
      )
      update outbox o
      set state = 'CLAIMED',
          fence = o.fence + 1,
          lease_owner = ${options.worker},
          lease_until = clock_timestamp() + ${options.leaseMs} * interval '1 millisecond',
          next_attempt_at = null
      from heads
      where o.event_id = heads.event_id
      returning o.event_id, o.tenant_group_id, o.clinic_id, o.command_id, o.topic, o.partition_key, o.aggregate_type, o.aggregate_id,
        o.aggregate_seq, o.type, o.schema_version, o.payload, o.traceparent, o.occurred_at, o.fence, o.attempts`;
    // A plan that ran the limit more than once would claim more than we lease time for.
    if (rows.length > options.limit) throw new Error(`claimed ${rows.length} entries with a limit of ${options.limit}`);
    return rows.map((row) => ({
      eventId: row.event_id,
      tenantGroupId: row.tenant_group_id,
      clinicId: row.clinic_id,
      commandId: row.command_id,
      topic: row.topic,
      partitionKey: row.partition_key,
      aggregateType: row.aggregate_type,
      aggregateId: row.aggregate_id,
      aggregateSeq: row.aggregate_seq,
      type: row.type,
      schemaVersion: row.schema_version,
      payload: row.payload,
      occurredAt: toIso(row.occurred_at),
      fence: row.fence,
      attempts: row.attempts,
      ...(row.traceparent ? { traceparent: row.traceparent } : {}),
    }));
  };
  return withTx(db, { worker: options.worker }, work, { byIndex: true });
}
