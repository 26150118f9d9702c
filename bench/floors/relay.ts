import type postgres from "postgres";

type OutboxRow = {
  event_id: string;
  fence: string;
  topic: string;
  partition_key: string;
  type: string;
  occurred_at: string;
  aggregate_type: string;
  aggregate_id: string;
  aggregate_seq: string;
  tenant_group_id: string;
  clinic_id: string;
  command_id: string;
  payload: unknown;
};
export type BareRecord = { key: string; headers: Record<string, string>; value: string };

/** A copy of the log's table, with its keys and checks, for the floor's inserts. */
export async function createFloorLog(bare: postgres.Sql): Promise<void> {
  await bare.unsafe("create table floor_log (like log_records including all)");
  await bare.unsafe("create sequence floor_offsets");
}

/** Floor of the relay's first transaction: any 100 pending rows; no order per key, no fence check, no take-over. */
export const claimAny = (bare: postgres.Sql): Promise<OutboxRow[]> =>
  bare<OutboxRow[]>`
    with picked as materialized (
      select event_id from outbox
      where state = 'PENDING' and state not in ('PUBLISHED', 'SKIPPED')
      order by occurred_at
      limit 100
      for update skip locked
    )
    update outbox o
    set state = 'CLAIMED', fence = o.fence + 1, lease_owner = 'floor', lease_until = clock_timestamp() + interval '30 seconds'
    from picked
    where o.event_id = picked.event_id
    returning o.event_id, o.fence, o.topic, o.partition_key, o.type, o.occurred_at, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.tenant_group_id,
      o.clinic_id, o.command_id, o.payload`;

/** Header for header what the product writes, put together without a check. */
export const toBareRecord = (row: OutboxRow): BareRecord => ({
  key: row.partition_key,
  headers: {
    ce_specversion: "1.0",
    ce_id: row.event_id,
    ce_source: "/appointment-operations",
    ce_type: row.type,
    ce_time: row.occurred_at,
    ce_subject: `${row.aggregate_type}/${row.aggregate_id}`,
    ce_dataschema: `urn:appointment-operations:${row.type}:1`,
    ce_partitionkey: row.partition_key,
    ce_aggregateseq: row.aggregate_seq,
    ce_tenantgroupid: row.tenant_group_id,
    ce_clinicid: row.clinic_id,
    ce_commandid: row.command_id,
    "content-type": "application/json",
  },
  value: JSON.stringify(row.payload),
});

/** Second transaction on the PostgreSQL log: the bare insert of the same rows. Offsets come from a sequence: with gaps, and not in order of commit. */
export async function insertBare(bare: postgres.Sql, records: BareRecord[]): Promise<string[]> {
  const rows = await bare<{ offset: string }[]>`
    insert into floor_log (topic, partition, "offset", key, headers, value)
    select 'appointment.v1', n % 12, nextval('floor_offsets'), key, headers::jsonb, convert_to(value, 'UTF8')
    from unnest(${records.map((r) => r.key)}::text[], ${records.map((r) => JSON.stringify(r.headers))}::text[], ${records.map((r) => r.value)}::text[])
      with ordinality as r (key, headers, value, n)
    returning "offset"`;
  return rows.map((row) => row.offset);
}

/** Third transaction: written down as published. */
export async function markAll(bare: postgres.Sql, claimed: OutboxRow[], offsets: string[]): Promise<void> {
  await bare`
    update outbox o
    set state = 'PUBLISHED', published_at = clock_timestamp(), log_id = 'floor', log_partition = 0, log_offset = p.log_offset, lease_owner = null,
        lease_until = null
    from unnest(${claimed.map((row) => row.event_id)}::uuid[], ${offsets}::int8[]) as p (event_id, log_offset)
    where o.event_id = p.event_id`;
}
