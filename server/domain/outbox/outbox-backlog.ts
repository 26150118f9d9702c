import type { Tx } from "@/db/client";

/** What waits, over all tenants; reads only the partial index of unpublished rows. `oldestSeconds`: age of the oldest that is not FAILED. */
export async function outboxBacklog(tx: Tx): Promise<{ byState: Record<string, number>; oldestSeconds: number }> {
  const rows = await tx.sql`
    select state, count(*)::int4 as entries,
      coalesce(extract(epoch from clock_timestamp() - min(occurred_at)), 0)::float8 as oldest_seconds
    from outbox
    where state not in ('PUBLISHED', 'SKIPPED')
    group by state`;
  const ages = rows.filter((row) => row.state !== "FAILED").map((row) => row.oldest_seconds as number);
  return { byState: Object.fromEntries(rows.map((row) => [row.state, row.entries])), oldestSeconds: Math.max(0, ...ages) };
}
