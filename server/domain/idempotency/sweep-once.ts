import { type Db, withTx } from "@/db/client";

/**
 * Removes keys past their expiry, at most `limit` at a time, oldest first. A row that a command is taking over is locked and left alone.
 * @returns how many were removed
 */
export function sweepOnce(db: Db, worker: string, limit = 500): Promise<number> {
  return withTx(db, { worker }, async (tx) => {
    const removed = await tx.sql`
      delete from idempotency_keys
      where ctid = any (array(
        select ctid
        from idempotency_keys
        where expires_at <= clock_timestamp()
        order by expires_at
        limit ${limit}
        for update skip locked
      ))
      returning 1 as one`;
    return removed.length;
  });
}
