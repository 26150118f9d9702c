import type { EventLog, LogRecord } from "@/server/domain/event-log/port";

/** Every record of a topic that is still there, partition by partition in the order of their offsets. */
export async function readWholeLog(eventLog: EventLog, topic: string): Promise<LogRecord[]> {
  const found: LogRecord[] = [];
  for (const { partition, low, high } of await eventLog.watermarks(topic)) {
    for (let from = BigInt(low); from < BigInt(high); from += 500n) {
      const length = Number(BigInt(high) - from < 500n ? BigInt(high) - from : 500n);
      const offsets = Array.from({ length }, (_, i) => String(from + BigInt(i)));
      const read = await eventLog.readAt(topic, partition, offsets, { deadlineMs: 20_000 });
      for (const offset of offsets) {
        const record = read.get(offset);
        if (record && record !== "EXPIRED") found.push(record);
      }
    }
  }
  return found;
}

/**
 * Visits whose events do not come in order: the first record of each event must come after the first records of the visit's earlier events, from 1 on,
 * in one partition. Copies of an event that was published again may come anywhere later.
 */
export function outOfOrder(records: LogRecord[]): string[] {
  const seen = new Map<string, { seqs: bigint[]; partitions: Set<number> }>();
  const ids = new Set<string>();
  for (const { key, headers, position } of records) {
    const visit = seen.get(key) ?? { seqs: [], partitions: new Set() };
    visit.partitions.add(position.partition);
    if (!ids.has(headers.ce_id ?? "")) visit.seqs.push(BigInt(headers.ce_aggregateseq ?? "0"));
    ids.add(headers.ce_id ?? "");
    seen.set(key, visit);
  }
  return [...seen]
    .filter(([, { seqs, partitions }]) => partitions.size !== 1 || seqs.some((seq, i) => seq !== BigInt(i + 1)))
    .map(([key, { seqs }]) => `the log holds ${key} in the order ${seqs.join()}`);
}
