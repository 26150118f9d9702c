import { type Db, withRead } from "@/db/client";
import type { EventLog } from "@/server/domain/event-log/port";
import type { LogicalConsumer } from "./types";

/** Starting would skip or repeat events, and only a person can say that this is meant. */
export class MayNotConsume extends Error {
  readonly name = "MayNotConsume";
}

const wayOut = "Drain the old log first, or set ACCEPT_LOG_RESET=true for one start when that is meant.";

/**
 * Looked at once at start. Refuses when
 * - a group has no stored offset although its consumer has rows of this log (offsets expire on Kafka after a week without the group);
 * - unfinished rows, or published events that a consumer has not seen, lie in another log: changing the log is drain-and-switch.
 */
export async function assertMayConsume(db: Db, worker: string, eventLog: EventLog, consumers: readonly LogicalConsumer[]): Promise<void> {
  const logId = await eventLog.logId();
  const ids = consumers.map((consumer) => consumer.id);
  const found = await withRead(
    db,
    { worker },
    (tx) => tx.sql`
      select c.id,
        exists (select 1 from inbox i where i.consumer = c.id and i.log_id = ${logId}) as has_rows_here,
        exists (
          select 1 from inbox i where i.consumer = c.id and i.state in ('PROCESSING', 'RETRYABLE') and i.log_id <> ${logId}) as has_unfinished_there,
        exists (select 1 from inbox i where i.consumer = c.id)
          and exists (
            select 1
            from outbox o
            where o.state = 'PUBLISHED'
              and o.log_id <> ${logId}
              and o.published_at > clock_timestamp() - interval '7 days'
              and not exists (select 1 from inbox i where i.consumer = c.id and i.event_id = o.event_id)) as has_unseen_there
      from unnest(${ids}::text[]) as c (id)`,
    { deadlineMs: 60_000 },
  );
  for (const row of found) {
    const consumer = consumers.find((one) => one.id === row.id) as LogicalConsumer;
    if (row.has_unfinished_there || row.has_unseen_there)
      throw new MayNotConsume(`${row.id} has events to do in another event log than ${logId}. ${wayOut}`);
    if (!row.has_rows_here) continue;
    const offsets = await Promise.all(consumer.topics.map((topic) => eventLog.groupOffsets(consumer.id, topic)));
    if (offsets.flat().length === 0)
      throw new MayNotConsume(`${row.id} has rows of ${logId}, but its group stored no offset there. ${wayOut}`);
  }
}
