import { type EventLog, LogError, type LogRecord } from "@/server/domain/event-log/port";
import { logger } from "@/server/logger";

export type OffsetJump = { group: string; topic: string; partition: number; expected: string; found: string };

/**
 * Looks whether the records of a partition follow each other, and the first one what the group has stored: 0 when it has stored nothing. Anything else
 * means that records were trimmed under us, or that somebody moved the group: they go on all the same, and `alarm` is told. A group that shares its
 * partitions anew reads from where the group stands, which is no jump. A log that cannot say where that is leaves the first record unjudged.
 */
export function offsetWatch(
  group: string,
  log: Pick<EventLog, "groupOffsets">,
  alarm: (jump: OffsetJump) => void,
): (batch: LogRecord[]) => Promise<void> {
  const next = new Map<string, bigint>();
  const standing = async (topic: string, partition: number): Promise<bigint | undefined> => {
    try {
      const stored = (await log.groupOffsets(group, topic)).find((one) => one.partition === partition);
      return BigInt(stored?.offset ?? 0);
    } catch (error) {
      if (error instanceof LogError) return undefined;
      throw error;
    }
  };
  return async (batch) => {
    for (const { position } of batch) {
      const { topic, partition } = position;
      const place = `${topic}/${partition}`;
      const offset = BigInt(position.offset);
      const expected = next.get(place);
      if (offset !== expected) {
        const stands = await standing(topic, partition);
        if (stands !== undefined && offset !== stands)
          alarm({ group, topic, partition, expected: String(expected ?? stands), found: position.offset });
      }
      next.set(place, offset + 1n);
    }
  };
}

export function logJump(jump: OffsetJump): void {
  logger.error({ code: "OFFSET_JUMP", ...jump }, "the next record is not the one behind the last: what lay between was not read");
}
