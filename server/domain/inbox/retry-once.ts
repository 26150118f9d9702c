import { type Tx, withRead } from "@/db/client";
import { type EventLog, LogError, type LogRecord } from "@/server/domain/event-log/port";
import { groupBy } from "@/server/group-by";
import { testPoint } from "@/server/test-points";
import { type DueRow, dueColumns, toDueRow } from "./claim-row";
import { countEnd, type InboxCounts, noCounts } from "./process-batch";
import { processMessage } from "./process-message";
import { readAgain } from "./read-again";
import { releaseStranded } from "./release-stranded";
import type { InboxRuntime, LogicalConsumer } from "./types";
import { type Control, Stopped } from "./with-patience";

export type RetryResult = InboxCounts & { due: number; released: number; outage?: string };

/**
 * One bounded run of the scheduler: rows whose next attempt is due and rows whose worker died, read again from the log at their recorded position,
 * partition by partition, and attempted one at a time. An outage of the log ends the run before any attempt is used.
 */
export async function retryOnce(
  runtime: InboxRuntime,
  eventLog: EventLog,
  consumers: readonly LogicalConsumer[],
  control: Control,
  options: { limit?: number; readDeadlineMs?: number } = {},
): Promise<RetryResult> {
  const { limit = 50, readDeadlineMs = 10_000 } = options;
  const result: RetryResult = { ...noCounts(), due: 0, released: 0 };
  result.released = await releaseStranded(runtime);
  const due = await findDue(runtime, consumers, limit);
  result.due = due.length;
  const byId = new Map(consumers.map((consumer) => [consumer.id, consumer]));
  for (const rows of groupBy(due, (row) => `${row.topic}/${row.partition}`).values()) {
    await control.heartbeat();
    let records: Map<string, LogRecord | "EXPIRED">;
    try {
      records = await readAgain(runtime, eventLog, rows, readDeadlineMs);
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      return { ...result, outage: error.code };
    }
    await testPoint("retry.afterRead", rows);
    for (const row of rows) {
      if (control.signal.aborted) return result;
      const record = row.logId === runtime.logId ? (records.get(row.offset) ?? "EXPIRED") : "OTHER_LOG";
      try {
        const end = await processMessage(runtime, byId.get(row.consumer) as LogicalConsumer, row, record, control);
        if (end === "BLOCKED") result.blocked += 1;
        else if (end !== "NOT_DUE") countEnd(result, end);
      } catch (error) {
        if (error instanceof Stopped) return result;
        throw error;
      }
    }
  }
  return result;
}

/** Nothing is locked here: each row is claimed by its version later. Events of one aggregate come in order. */
function findDue(runtime: InboxRuntime, consumers: readonly LogicalConsumer[], limit: number): Promise<DueRow[]> {
  const ids = consumers.map((consumer) => consumer.id);
  const find = async (tx: Tx) => {
    const rows = await tx.sql`
      with due as (
        (select id
         from inbox
         where state = 'RETRYABLE'
           and blocked_by is null
           and next_attempt_at <= clock_timestamp()
           and consumer = any (${ids}::text[])
         order by next_attempt_at
         limit ${limit})
        union all
        (select id
         from inbox
         where state = 'PROCESSING'
           and lease_until <= clock_timestamp()
           and consumer = any (${ids}::text[])
         order by lease_until
         limit ${limit})
      )
      select ${dueColumns(tx)}
      from due
      join inbox i on i.id = due.id
      order by i.aggregate_id, i.aggregate_seq`;
    return rows.map(toDueRow);
  };
  return withRead(runtime.db, { worker: runtime.worker }, find, { byIndex: true });
}
