import { type Db, type Tx, withTx } from "@/db/client";
import type { Position } from "@/server/domain/event-log/port";
import type { ClaimedEntry } from "./claim-entries";

/**
 * Writes down where each entry lies, if its claim is still ours. Answers the event ids that were marked: one that is missing was taken over
 * by another relay, which publishes it again, and consumers tell the copy by its identity.
 */
export function markPublishedIfLeaseHeld(
  db: Db,
  worker: string,
  published: { entry: ClaimedEntry; position: Position }[],
): Promise<Set<string>> {
  const work = async (tx: Tx) => {
    const rows = await tx.sql`
      update outbox o
      set state = 'PUBLISHED',
          published_at = clock_timestamp(),
          log_id = p.log_id,
          log_partition = p.log_partition,
          log_offset = p.log_offset,
          lease_owner = null,
          lease_until = null,
          reason_code = null
      from unnest(
        ${published.map(({ entry }) => entry.eventId)}::uuid[],
        ${published.map(({ entry }) => entry.fence)}::int8[],
        ${published.map(({ position }) => position.logId)}::text[],
        ${published.map(({ position }) => position.partition)}::int4[],
        ${published.map(({ position }) => position.offset)}::int8[]
      ) as p (event_id, fence, log_id, log_partition, log_offset)
      where o.event_id = p.event_id
        and o.fence = p.fence
        and o.state is not distinct from 'CLAIMED'
      returning o.event_id`;
    return new Set(rows.map((row) => row.event_id as string));
  };
  return withTx(db, { worker }, work, { byIndex: true });
}
