import type postgres from "postgres";
import type { LogRecord } from "@/server/domain/event-log/port";

/** 1,000 counters: the effect of every side is one upsert into one of them for each event. */
export async function createCounters(bare: postgres.Sql): Promise<void> {
  await bare.unsafe("create table bench_counters (counter int primary key, n bigint not null)");
  await bare.unsafe("grant select, insert, update on bench_counters to aops_worker");
  // the rows that a consumer's bookkeeping amounts to: identity, digest, position, state
  await bare.unsafe("create table floor_inbox (like inbox including all)");
}

/** Which counter an event adds to: the same for every side. */
export const counterOf = (aggregateId: string): number => Number.parseInt(aggregateId.slice(-6), 16) % 1_000;

const columns = (records: LogRecord[]) => ({
  eventIds: records.map((r) => r.headers.ce_id as string),
  aggregateIds: records.map((r) => (r.headers.ce_subject as string).slice(-36)),
  partitions: records.map((r) => r.position.partition),
  offsets: records.map((r) => r.position.offset),
});

/** Floor of the consumer: inbox row and effect of these events in one transaction of two statements. One event or a hundred. */
export async function processBare(bare: postgres.Sql, records: LogRecord[]): Promise<void> {
  const [first] = records;
  if (!first) return;
  const { eventIds, aggregateIds, partitions, offsets } = columns(records);
  const { ce_tenantgroupid: tenant, ce_clinicid: clinic } = first.headers as { ce_tenantgroupid: string; ce_clinicid: string };
  const counters = new Map<number, number>();
  for (const id of aggregateIds) counters.set(counterOf(id), (counters.get(counterOf(id)) ?? 0) + 1);
  const sorted = [...counters].sort(([a], [b]) => a - b); // in key order, so that two transactions wait instead of deadlocking
  await bare.begin(async (sql) => {
    await sql`
      insert into floor_inbox (tenant_group_id, clinic_id, consumer, event_id, event_type, schema_version, aggregate_type, aggregate_id, aggregate_seq,
        content_digest, digest_key_id, log_id, topic, partition, first_offset, last_partition, last_offset, state, attempts, attempts_max, effect,
        processed_at)
      select ${tenant}::uuid, ${clinic}::uuid, 'floor', event_id, 'AppointmentCreated', 1, 'appointment', aggregate_id, 1, event_id::text, 'k1', 'floor',
        'appointment.v1', partition, "offset", partition, "offset", 'PROCESSED', 1, 5, 'APPLIED', clock_timestamp()
      from unnest(${eventIds}::uuid[], ${aggregateIds}::uuid[], ${partitions}::int4[], ${offsets}::int8[]) as r (event_id, aggregate_id, partition, "offset")
      on conflict do nothing`;
    await sql`
      insert into bench_counters as c (counter, n)
      select counter, n from unnest(${sorted.map(([counter]) => counter)}::int4[], ${sorted.map(([, n]) => String(n))}::int8[]) as r (counter, n)
      on conflict (counter) do update set n = c.n + excluded.n`;
  });
}
