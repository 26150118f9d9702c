import type postgres from "postgres";
import type { BenchClinic, World } from "./world";

export type QueueFill = { stopped: number; waiting: number; settled: number; reasons: number };

const chunk = 50_000;

/**
 * Events of the filled visits as relay and consumers leave them: stopped for one of `reasons` reasons, waiting, or processed today, each with its outbox
 * row and its delivery. The product's triggers make the tasks and keep the counters.
 */
export async function fillQueue(bare: postgres.Sql, world: World, clinic: BenchClinic, fill: QueueFill): Promise<void> {
  const total = fill.stopped + fill.waiting + fill.settled;
  await bare.unsafe(
    `create table bench_visits as select id, row_number() over (order by id) - 1 as nth from appointments where clinic_id = '${clinic.id}'`,
  );
  for (let from = 0; from < total; from += chunk) await fillChunk(bare, world, clinic, fill, from, Math.min(from + chunk, total));
  for (const table of ["outbox", "inbox", "inbox_deliveries", "delivery_tasks", "delivery_groups"])
    await bare.unsafe(`vacuum analyze ${table}`);
}

async function fillChunk(bare: postgres.Sql, world: World, clinic: BenchClinic, fill: QueueFill, from: number, until: number) {
  const { stopped, waiting, settled, reasons } = fill;
  const [{ visits = 0 } = {}] = await bare<{ visits: number }[]>`select count(*)::int4 as visits from bench_visits`;
  await bare`
    with event as (
      insert into outbox (tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type,
        schema_version, payload, state, published_at, log_id, log_partition, log_offset)
      select ${world.tenantGroupId}::uuid, ${clinic.id}::uuid, uuidv7(), 'appointment.v1', v.id::text, 'appointment', v.id, 1 + n / ${visits}::int4,
        'AppointmentMoved', 1, '{}'::jsonb, 'PUBLISHED', clock_timestamp(), 'bench', n % 12, n / 12
      from generate_series(${from}::int4, ${until - 1}::int4) n
      join bench_visits v on v.nth = n % ${visits}::int4
      returning *, log_offset * 12 + log_partition as n
    ), row as (
      insert into inbox (tenant_group_id, clinic_id, consumer, event_id, command_id, event_type, schema_version, aggregate_type, aggregate_id,
        aggregate_seq, content_digest, digest_key_id, log_id, topic, partition, first_offset, last_partition, last_offset, state, attempts,
        attempts_max, reason_code, quarantined_at, next_attempt_at, processed_at, effect)
      select tenant_group_id, clinic_id, 'daily-load-v1', event_id, command_id, type, schema_version, aggregate_type, aggregate_id, aggregate_seq,
        encode(sha256(event_id::text::bytea), 'hex'), 'k1', log_id, topic, log_partition, log_offset, log_partition, log_offset, at.state, 1, 5,
        case at.state when 'QUARANTINED' then 'REASON_' || n % ${reasons}::int4 when 'RETRYABLE' then 'LATER' end,
        case at.state when 'QUARANTINED' then clock_timestamp() - n * interval '100 ms' end,
        case at.state when 'RETRYABLE' then clock_timestamp() + n * interval '100 ms' end,
        case at.state when 'PROCESSED' then clock_timestamp() - (n - ${stopped + waiting}::int4) * (interval '23 hours' / ${settled}::int4) end,
        case at.state when 'PROCESSED' then 'APPLIED' end
      from event, lateral (
        select case when n < ${stopped}::int4 then 'QUARANTINED' when n < ${stopped + waiting}::int4 then 'RETRYABLE' else 'PROCESSED' end as state) at
      returning *
    )
    insert into inbox_deliveries (tenant_group_id, clinic_id, inbox_id, consumer, event_id, command_id, attempt, fence, outcome, reason_code, log_id,
      partition, "offset", worker, started_at, duration_ms, at)
    select tenant_group_id, clinic_id, id, consumer, event_id, command_id, 1, 1, state, reason_code, log_id, partition, first_offset, 'bench',
      settled.at, 1, settled.at
    from row, lateral (select coalesce(processed_at, quarantined_at, clock_timestamp() - interval '1 minute') as at) settled`;
}
