import type { EachBatchPayload, Kafka } from "kafkajs";
import { LogError, type LogRecord } from "@/server/domain/event-log/port";
import { newUuid } from "@/server/ids";
import { unavailable, within } from "./kafka-errors";
import { fromKafka } from "./kafka-record";

/** Groups of bounded reads begin so: they hold no offsets, and what a dead process left is removed at the next start. */
export const readGroupPrefix = "aops-bounded-read-";

type Read = { topic: string; partition: number; offsets: string[]; deadlineMs: number; logId: string; low: string; high: string };

/**
 * Reads single offsets with a group of its own that never commits and is deleted afterwards; kafkajs cannot read without a group. Offsets outside
 * the watermarks, and those that the partition passes over (compacted, aborted), are EXPIRED. Throws UNAVAILABLE at the deadline.
 */
export async function readOffsets(kafka: Kafka, read: Read): Promise<Map<string, LogRecord | "EXPIRED">> {
  const found = new Map<string, LogRecord | "EXPIRED">(read.offsets.map((offset) => [offset, "EXPIRED"]));
  const isThere = (offset: bigint) => offset >= BigInt(read.low) && offset < BigInt(read.high);
  const open = [...new Set(read.offsets)]
    .map(BigInt)
    .filter(isThere)
    .sort((a, b) => (a < b ? -1 : 1));
  if (open.length === 0) return found;

  const groupId = `${readGroupPrefix}${newUuid()}`;
  const retry = { initialRetryTime: 100, maxRetryTime: 1_000, retries: 20 }; // the deadline ends it
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 200, sessionTimeout: 30_000, allowAutoTopicCreation: false, retry });
  const { topic, partition } = read;
  const seek = (offset: bigint) => consumer.seek({ topic, partition, offset: String(offset) });
  try {
    const work = new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
        const others = (payload.memberAssignment[topic] ?? []).filter((one) => one !== partition);
        consumer.pause([{ topic, partitions: others }]);
        seek(open[0] as bigint); // before the assignment it would do nothing
      });
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
      const eachBatch = async ({ batch, resolveOffset }: EachBatchPayload) => {
        if (batch.partition !== partition) return; // fetched before the pause
        for (const message of batch.messages)
          if (found.has(message.offset)) found.set(message.offset, fromKafka(message, topic, partition, read.logId));
        const last = BigInt(batch.lastOffset());
        while (open.length > 0 && (open[0] as bigint) <= last) open.shift();
        resolveOffset(String(last));
        const next = open[0];
        if (next === undefined) resolve();
        else if (next > last + 1n) seek(next);
      };
      consumer
        .connect()
        .then(() => consumer.subscribe({ topics: [topic], fromBeginning: true }))
        .then(() => consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch }))
        .catch(reject);
    });
    await within(read.deadlineMs, work);
    return found;
  } catch (error) {
    throw error instanceof LogError ? error : unavailable(error);
  } finally {
    await within(3_000, consumer.disconnect()).catch(() => {});
    await deleteGroup(kafka, groupId);
  }
}

async function deleteGroup(kafka: Kafka, groupId: string): Promise<void> {
  const admin = kafka.admin();
  try {
    await within(
      3_000,
      admin.connect().then(() => admin.deleteGroups([groupId])),
    );
  } catch {
    // removed at the next start
  } finally {
    admin.disconnect().catch(() => {});
  }
}
