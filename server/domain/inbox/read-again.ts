import type { EventLog, LogRecord } from "@/server/domain/event-log/port";
import type { DueRow } from "./claim-row";
import type { InboxRuntime } from "./types";

/** The records of rows of one partition, where they lay, by offset. Rows of another log are not looked up in this one. Throws LogError. */
export async function readAgain(
  runtime: Pick<InboxRuntime, "logId">,
  eventLog: Pick<EventLog, "readAt">,
  rows: readonly DueRow[],
  deadlineMs: number,
): Promise<Map<string, LogRecord | "EXPIRED">> {
  const own = rows.filter((row) => row.logId === runtime.logId);
  const [first] = own;
  if (!first) return new Map();
  return eventLog.readAt(first.topic, first.partition, [...new Set(own.map((row) => row.offset))], { deadlineMs });
}
