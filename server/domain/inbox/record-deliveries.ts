import type { Tx } from "@/db/client";
import type { DeliveryOutcome } from "./states";

/** One arrival or attempt, as it is counted and shown. Tenant, clinic and command come from the inbox row. */
export type Delivery = {
  inboxId: string;
  /** Null for an arrival that ran no handler. */
  attempt: number | null;
  fence: string | null;
  outcome: DeliveryOutcome;
  reason: string | null;
  partition: number;
  offset: string;
  durationMs: number;
  /** The worker whose attempt it was, when it is not the one that writes. */
  worker?: string;
  /** The replay whose attempt it was. */
  replayRequestId?: string | null;
};

/** Appends to the append-only table that every count comes from. */
export async function recordDeliveries(tx: Tx, worker: string, logId: string, deliveries: Delivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  await tx.sql`
    insert into inbox_deliveries (tenant_group_id, clinic_id, inbox_id, consumer, event_id, command_id, attempt, fence, outcome, reason_code,
      log_id, partition, "offset", worker, started_at, duration_ms, replay_request_id)
    select i.tenant_group_id, i.clinic_id, i.id, i.consumer, i.event_id, i.command_id, d.attempt, d.fence, d.outcome, d.reason,
      ${logId}, d.partition, d."offset", coalesce(d.worker, ${worker}), clock_timestamp() - d.duration_ms * interval '1 millisecond', d.duration_ms,
      d.replay_request_id
    from unnest(
      ${deliveries.map((delivery) => delivery.inboxId)}::uuid[],
      ${deliveries.map((delivery) => delivery.attempt)}::int4[],
      ${deliveries.map((delivery) => delivery.fence)}::int8[],
      ${deliveries.map((delivery) => delivery.outcome)}::text[],
      ${deliveries.map((delivery) => delivery.reason)}::text[],
      ${deliveries.map((delivery) => delivery.partition)}::int4[],
      ${deliveries.map((delivery) => delivery.offset)}::int8[],
      ${deliveries.map((delivery) => Math.round(delivery.durationMs))}::int4[],
      ${deliveries.map((delivery) => delivery.worker ?? null)}::text[],
      ${deliveries.map((delivery) => delivery.replayRequestId ?? null)}::uuid[]
    ) as d (inbox_id, attempt, fence, outcome, reason, partition, "offset", duration_ms, worker, replay_request_id)
    join inbox i on i.id = d.inbox_id`;
}
