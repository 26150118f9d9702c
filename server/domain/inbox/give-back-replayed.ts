import { withTx } from "@/db/client";
import type { RowBefore } from "./claim-row";
import type { ClaimedRow, InboxRuntime } from "./types";

/**
 * A replay that is told to stop in the middle of an attempt leaves the row as it met it: stopped, for its earlier reason, with the attempt given back and
 * its task open again. Never due: the retry scheduler would run it outside of the bounds that were approved. One whose worker had died, or of which
 * nothing is known, is left stopped too. Its replay learns the version, so that the row counts as not run. Answers whether it was still ours.
 */
export function giveBackReplayed(runtime: InboxRuntime, row: ClaimedRow, before: RowBefore | null): Promise<boolean> {
  const { tenantGroupId } = row.event;
  const isWaiting = before?.state === "RETRYABLE";
  return withTx(runtime.db, { worker: runtime.worker, tenantGroupId }, async (tx) => {
    const [given] = await tx.sql<{ version: string }[]>`
      update inbox
      set state = ${isWaiting ? "RETRYABLE" : "QUARANTINED"},
          attempts = attempts - 1,
          attempts_max = coalesce(${before?.attemptsMax ?? null}::int4, attempts_max),
          next_attempt_at = case when ${isWaiting}::boolean then ${before?.nextAttemptAt ?? null}::timestamptz end,
          quarantined_at = case when not ${isWaiting}::boolean then coalesce(${before?.quarantinedAt ?? null}::timestamptz, clock_timestamp()) end,
          replay_request_id = null,
          lease_owner = null,
          lease_until = null,
          version = version + 1,
          updated_at = clock_timestamp()
      where id = ${row.inboxId}
        and fence = ${row.fence}
        and state is not distinct from 'PROCESSING'
      returning version`;
    if (given) await runtime.replay?.gaveBack(tx, row.inboxId, given.version);
    return given !== undefined;
  });
}
