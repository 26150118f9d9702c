import { type Db, withRead } from "@/db/client";
import type { EventLog } from "@/server/domain/event-log/port";
import { MayNotConsume } from "./assert-may-consume";
import type { LogicalConsumer } from "./types";

/** A process that dies before it stores an offset leaves at most a batch or two between what is done and what is stored. */
const movedBackTolerance = 5_000;

/**
 * Looked at once at start, beside assertMayConsume. Refuses when a group's stored offset lies further behind the highest offset its consumer has
 * processed than a crash explains: somebody moved it. Rows of the inbox would catch every repeat, but a person must say that this is meant.
 */
export async function assertNotMovedBack(
  db: Db,
  worker: string,
  eventLog: Pick<EventLog, "logId" | "groupOffsets">,
  consumers: readonly LogicalConsumer[],
  tolerance = movedBackTolerance,
): Promise<void> {
  const logId = await eventLog.logId();
  for (const { id, topics } of consumers) {
    const highest = await withRead(
      db,
      { worker },
      (tx) => tx.sql<{ topic: string; partition: number; offset: string }[]>`
        select topic, last_partition as partition, max(last_offset) as "offset"
        from inbox
        where consumer = ${id} and log_id = ${logId} and state = 'PROCESSED'
        group by topic, last_partition`,
      { deadlineMs: 60_000 },
    );
    for (const topic of topics) {
      const stored = await eventLog.groupOffsets(id, topic);
      const back = highest.find((row) => {
        const at = stored.find(({ partition }) => partition === row.partition);
        return row.topic === topic && at && BigInt(at.offset) + BigInt(tolerance) < BigInt(row.offset);
      });
      if (back)
        throw new MayNotConsume(
          `${id} has processed offset ${back.offset} of ${topic}/${back.partition}, and its group stands far before it: it was moved back. A replay moves no group; set ACCEPT_OFFSETS_BACK to the request id of an approved replay for one start when going back is meant.`,
        );
    }
  }
}
