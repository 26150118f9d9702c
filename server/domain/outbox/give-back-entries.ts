import { type Db, withTx } from "@/db/client";
import type { ClaimedEntry } from "./claim-entries";
import type { PoisonReason } from "./states";

/** The log was not reached, or the relay stops: the entries are PENDING again at once, and no attempt was used. Answers how many. */
export function releaseEntries(db: Db, worker: string, entries: ClaimedEntry[]): Promise<number> {
  return withTx(db, { worker }, async (tx) => {
    const released = await tx.sql`
      update outbox o
      set state = 'PENDING', lease_owner = null, lease_until = null
      from unnest(${entries.map((entry) => entry.eventId)}::uuid[], ${entries.map((entry) => entry.fence)}::int8[]) as e (event_id, fence)
      where o.event_id = e.event_id
        and o.fence = e.fence
        and o.state is not distinct from 'CLAIMED'
      returning o.event_id`;
    return released.length;
  });
}

/**
 * Counts an attempt against entries that the log or their contract refuses. They wait and try again (a release may know the contract), and after
 * `attemptsMax` are FAILED: their key is blocked until STAFF retry or skip them. Answers how many are FAILED now.
 */
export function failEntries(
  db: Db,
  worker: string,
  refused: { entry: ClaimedEntry; reason: PoisonReason; waitMs: number }[],
  attemptsMax: number,
): Promise<number> {
  return withTx(db, { worker }, async (tx) => {
    const rows = await tx.sql`
      update outbox o
      set attempts = o.attempts + 1,
          reason_code = e.reason,
          state = case when o.attempts + 1 >= ${attemptsMax}::int4 then 'FAILED' else 'PENDING' end,
          next_attempt_at = case
            when o.attempts + 1 >= ${attemptsMax}::int4 then null
            else clock_timestamp() + e.wait_ms * interval '1 millisecond' end,
          lease_owner = null,
          lease_until = null
      from unnest(
        ${refused.map(({ entry }) => entry.eventId)}::uuid[],
        ${refused.map(({ entry }) => entry.fence)}::int8[],
        ${refused.map(({ reason }) => reason)}::text[],
        ${refused.map(({ waitMs }) => Math.round(waitMs))}::int4[]
      ) as e (event_id, fence, reason, wait_ms)
      where o.event_id = e.event_id
        and o.fence = e.fence
        and o.state is not distinct from 'CLAIMED'
      returning o.state`;
    return rows.filter((row) => row.state === "FAILED").length;
  });
}
