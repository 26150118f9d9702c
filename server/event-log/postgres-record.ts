import type { LogRecord } from "@/server/domain/event-log/port";

/** The log's tables have no tenant policy; the name only tells where a statement came from. */
export const logActor = { worker: "event-log" };

/** A row of log_records, its value read as text. */
export function toLogRecord(row: Record<string, unknown>, logId: string): LogRecord {
  return {
    key: row.key as string,
    headers: row.headers as Record<string, string>,
    value: row.value as string,
    position: { logId, topic: row.topic as string, partition: row.partition as number, offset: row.offset as string },
    appendedAt: new Date(row.appended_at as string),
  };
}
