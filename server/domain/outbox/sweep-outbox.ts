import { type Db, type Tx, withTx } from "@/db/client";
import { testPoint } from "@/server/test-points";

export type OutboxSweep = {
  /** Rows that left. */
  left: number;
  /** Rows that were looked at, and the last of them: where the next part goes on. Fewer than the limit: the pass is over. */
  seen: number;
  last: string | null;
};
export type SweepOptions = {
  /** Days that a published row stays. */
  retentionDays: number;
  /** What is registered: an event that one of these has not finished keeps its row. */
  consumers: readonly { id: string; topics: readonly string[] }[];
  /** `last` of the part before; null at the start of a pass. */
  after: string | null;
  /** Rows that one transaction looks at, and so the most that it removes: 500. */
  limit?: number;
};

/**
 * One bounded part of a pass over the old rows of the outbox: those that were published longer ago than the retention leave it, and what they were stays
 * in publications. Both in one statement, so a row is in one of the two and never in both. Kept: what is not PUBLISHED (a SKIPPED row is how a consumer
 * knows that a sequence is no gap), what no consumer of its topic has taken, what is or stands behind an unfinished event of its aggregate, and rows that
 * somebody else has locked. Rows come by their ids, which are made in the order of time, so that no index is needed for it.
 */
export function sweepOutbox(db: Db, worker: string, options: SweepOptions): Promise<OutboxSweep> {
  const { retentionDays, consumers, after, limit = 500 } = options;
  const ids = consumers.map(({ id }) => id);
  const topics = [...new Set(consumers.flatMap((consumer) => consumer.topics))];
  const work = async (tx: Tx) => {
    const [swept] = await tx.sql<OutboxSweep[]>`
      with seen as materialized (
        select event_id
        from outbox
        where event_id > ${after ?? "00000000-0000-0000-0000-000000000000"}::uuid
          and event_id < (select uuidv7(make_interval(days => ${-retentionDays}::int))) -- a bound of the index only when asked once
        order by event_id
        limit ${limit}
      ),
      leaving as materialized (
        select o.event_id
        from seen
        join outbox o on o.event_id = seen.event_id
        where o.state = 'PUBLISHED'
          and o.published_at < clock_timestamp() - make_interval(days => ${retentionDays}::int)
          and (o.topic <> all (${topics}::text[])
               or exists (select from inbox i where i.consumer = any (${ids}::text[]) and i.event_id = o.event_id))
          and not exists (
            select from inbox i
            where i.consumer = any (${ids}::text[])
              and i.aggregate_type = o.aggregate_type
              and i.aggregate_id = o.aggregate_id
              and i.aggregate_seq <= o.aggregate_seq
              and i.state <> 'PROCESSED')
        for update of o skip locked
      ),
      gone as (
        delete from outbox o
        using leaving
        where o.event_id = leaving.event_id
        returning o.*
      ),
      kept as (
        insert into publications (event_id, tenant_group_id, clinic_id, command_id, topic, aggregate_type, aggregate_id, aggregate_seq, type,
          schema_version, attempts, log_id, log_partition, log_offset, occurred_at, published_at)
        select event_id, tenant_group_id, clinic_id, command_id, topic, aggregate_type, aggregate_id, aggregate_seq, type,
          schema_version, attempts, log_id, log_partition, log_offset, occurred_at, published_at
        from gone
        returning 1
      )
      select (select count(*) from kept)::int4 as left, (select count(*) from seen)::int4 as seen,
        (select event_id from seen order by event_id desc limit 1) as last`;
    if (!swept) throw new Error("an aggregate without a row");
    await testPoint("outbox.swept", swept);
    return swept;
  };
  return withTx(db, { worker }, work, { byIndex: true });
}
