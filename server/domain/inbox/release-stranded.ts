import { withTx } from "@/db/client";
import { passedOver } from "./pass-over";
import type { InboxRuntime } from "./types";

/**
 * Makes due what still waits behind a row that is settled or passed over. Whoever does that releases its followers; a follower that was stored at the same
 * moment, unseen by that, is found here. Answers how many.
 */
export function releaseStranded(runtime: InboxRuntime): Promise<number> {
  return withTx(runtime.db, { worker: runtime.worker }, async (tx) => {
    const rows = await tx.sql`
      with stranded as materialized (
        select w.id
        from inbox w
        where w.blocked_by is not null
          and not exists (
            select 1 from inbox earlier where earlier.id = w.blocked_by and earlier.state <> 'PROCESSED' and not exists (${passedOver(tx)}))
        order by w.id
        limit 500
        for update of w skip locked
      )
      update inbox i
      set blocked_by = null,
          reason_code = 'UNBLOCKED',
          next_attempt_at = clock_timestamp(),
          version = i.version + 1,
          updated_at = clock_timestamp()
      from stranded
      where i.id = stranded.id
      returning i.id`;
    return rows.length;
  });
}
