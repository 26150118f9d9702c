import type { Tx } from "@/db/client";
import { SequenceMoved } from "./sequence-moved";
import type { ClaimedRow, InboxRuntime, LogicalConsumer, Outcome } from "./types";

/**
 * The last statement of the effect transaction: marks the rows by fence, moves the applied sequences on, makes what waited behind them due, and
 * appends a delivery for each. (`is not distinct from`: with `=` a plan may go by the partial index of its state, and read the dead entries of all rows that
 * were ever in it.) Throws when a row was not ours any more, and SequenceMoved when another worker applied the aggregate meanwhile.
 */
export async function markProcessed(
  tx: Tx,
  runtime: InboxRuntime,
  consumer: LogicalConsumer,
  ends: { row: ClaimedRow; outcome: Outcome }[],
  durationMs: number,
): Promise<void> {
  const reasons = ends.map(({ outcome }) => (outcome.kind === "noEffect" ? outcome.reason : null));
  const isOrdered = consumer.order === "ordered";
  const [counted] = await tx.sql`
    with ended as materialized (
      select *
      from unnest(
        ${ends.map(({ row }) => row.inboxId)}::uuid[],
        ${ends.map(({ row }) => row.fence)}::int8[],
        ${ends.map(({ row }) => row.attempt)}::int4[],
        ${reasons}::text[],
        ${ends.map(({ row }) => row.partition)}::int4[],
        ${ends.map(({ row }) => row.offset)}::int8[]
      ) as e (id, fence, attempt, reason, partition, "offset")
    ),
    settled as (
      -- statement_timestamp(): a batch is done at one moment; a clock read for each row would give its events an order of its own
      update inbox i
      set state = 'PROCESSED',
          effect = case when e.reason is null then 'APPLIED' else 'NO_EFFECT' end,
          reason_code = e.reason,
          processed_at = statement_timestamp(),
          lease_owner = null,
          lease_until = null,
          version = i.version + 1,
          updated_at = clock_timestamp()
      from ended e
      where i.id = e.id
        and i.fence = e.fence
        and i.state is not distinct from 'PROCESSING'
      returning i.id, i.tenant_group_id, i.clinic_id, i.consumer, i.event_id, i.command_id, i.aggregate_type, i.aggregate_id, i.aggregate_seq,
        i.fence, e.attempt, e.reason, e.partition, e."offset"
    ),
    applied as (
      insert into inbox_sequences as s (tenant_group_id, clinic_id, consumer, aggregate_type, aggregate_id, last_applied_seq)
      select distinct on (aggregate_type, aggregate_id)
        tenant_group_id, clinic_id, consumer, aggregate_type, aggregate_id, aggregate_seq
      from settled
      where ${isOrdered}::boolean
        and reason is distinct from 'SEQUENCE_REGRESSION'
      order by aggregate_type, aggregate_id, aggregate_seq desc
      on conflict (consumer, aggregate_type, aggregate_id) do update
      set last_applied_seq = excluded.last_applied_seq
      where s.last_applied_seq < excluded.last_applied_seq
      returning 1
    ),
    released as (
      update inbox b
      set blocked_by = null,
          reason_code = 'UNBLOCKED',
          next_attempt_at = clock_timestamp(),
          version = b.version + 1,
          updated_at = clock_timestamp()
      from settled
      where b.blocked_by is not null
        and b.blocked_by = settled.id
    ),
    delivered as (
      insert into inbox_deliveries (tenant_group_id, clinic_id, inbox_id, consumer, event_id, command_id, attempt, fence, outcome, reason_code,
        log_id, partition, "offset", worker, started_at, duration_ms, replay_request_id)
      select tenant_group_id, clinic_id, id, consumer, event_id, command_id, attempt, fence,
        case when reason is not distinct from 'SEQUENCE_REGRESSION' then 'DUPLICATE' else 'PROCESSED' end, reason, ${runtime.logId}, partition,
        "offset", ${runtime.worker}, clock_timestamp() - ${durationMs} * interval '1 millisecond', round(${durationMs}::float8)::int4,
        ${runtime.replay?.requestId ?? null}::uuid
      from settled
    )
    select (select count(*) from settled)::int4 as settled, (select count(*) from applied)::int4 as applied`;
  if (counted?.settled !== ends.length) throw new Error(`${counted?.settled} of ${ends.length} rows were still ours`);
  if (isOrdered && counted?.applied !== aggregatesOf(ends)) throw new SequenceMoved("applied by another worker meanwhile");
}

/** How many sequences must move on: one for each aggregate of which an event is not late. */
function aggregatesOf(ends: { row: ClaimedRow; outcome: Outcome }[]): number {
  const inTime = ends.filter(({ outcome }) => outcome.kind !== "noEffect" || outcome.reason !== "SEQUENCE_REGRESSION");
  return new Set(inTime.map(({ row }) => `${row.event.aggregateType}/${row.event.aggregateId}`)).size;
}
