import type { EventLog } from "@/server/domain/event-log/port";
import type { DeliveryConsumer } from "./delivery-consumers";

/** Records that the group of a logical consumer has still to read, over all tenants; null: the log did not say, which is not 0. */
export type ConsumerLag = { consumer: string; behind: number | null };

/** Distance between each group's offsets and the end of its topic. Asks the log, so it runs outside any transaction; `deadlineMs` for all of it. */
export async function consumerLag(log: EventLog, consumers: readonly DeliveryConsumer[], deadlineMs: number): Promise<ConsumerLag[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), deadlineMs);
  });
  try {
    const topics = [...new Set(consumers.map(({ topic }) => topic))];
    const ends = new Map(
      await Promise.all(topics.map(async (topic) => [topic, await Promise.race([log.watermarks(topic).catch(() => null), late])] as const)),
    );
    return await Promise.all(
      consumers.map(async ({ consumer, topic }) => {
        const marks = ends.get(topic);
        const offsets = marks && (await Promise.race([log.groupOffsets(consumer, topic).catch(() => null), late]));
        if (!marks || !offsets) return { consumer, behind: null };
        const at = new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]));
        const behind = marks.reduce((sum, { partition, low, high }) => sum + Number(BigInt(high) - (at.get(partition) ?? BigInt(low))), 0);
        return { consumer, behind: Math.max(0, behind) };
      }),
    );
  } finally {
    clearTimeout(timer);
  }
}
