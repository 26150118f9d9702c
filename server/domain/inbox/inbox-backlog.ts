import type { Tx } from "@/db/client";

export type InboxBacklog = { consumer: string; state: string; isBlocked: boolean; rows: number; oldestSeconds: number };

/** What is not finished, over all tenants; reads only the partial index of unfinished rows. */
export async function inboxBacklog(tx: Tx): Promise<InboxBacklog[]> {
  const rows = await tx.sql`
    select consumer, state, blocked_by is not null as is_blocked, count(*)::int4 as rows,
      extract(epoch from clock_timestamp() - min(received_at))::float8 as oldest_seconds
    from inbox
    where state <> 'PROCESSED'
    group by consumer, state, blocked_by is not null`;
  return rows.map((row) => ({
    consumer: row.consumer,
    state: row.state,
    isBlocked: row.is_blocked,
    rows: row.rows,
    oldestSeconds: row.oldest_seconds,
  }));
}

/** Records that could have no row, by reason, in the last day: each is a fault of a producer or a forgery. */
export async function recentRejections(tx: Tx): Promise<{ reason: string; records: number }[]> {
  const rows = await tx.sql`
    select reason_code, count(*)::int4 as records
    from inbox_rejections
    where at > clock_timestamp() - interval '1 day'
    group by reason_code`;
  return rows.map((row) => ({ reason: row.reason_code, records: row.records }));
}
