import { type Kafka, Partitioners, type Producer } from "kafkajs";
import { partitionOf } from "@/server/domain/event-log/partition-of";
import { LogError, type NewRecord, type Position, publishTimeoutMs } from "@/server/domain/event-log/port";
import { recordBytesMax, topics } from "@/server/domain/event-log/topics";
import { brokerErrorType, unavailable, within } from "./kafka-errors";

type Open = {
  producer: Producer;
  ready: Promise<void> /** topic/partition → last offset acknowledged to this producer */;
  last: Map<string, bigint>;
};

/**
 * An idempotent producer with one request under way. After any surfaced error it is thrown away before the next send: kafkajs takes its sequence
 * back then, and if the broker had appended the batch, the next one would be taken for a copy of it. For the same reason an acknowledged offset must
 * be above the last one.
 */
export function kafkaPublisher(kafka: Kafka) {
  let open: Open | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  function current(): Open {
    if (open) return open;
    const producer = kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: Partitioners.DefaultPartitioner,
      retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3 }, // the same request and sequence; then the relay decides
    });
    open = { producer, ready: producer.connect(), last: new Map() };
    open.ready.catch(() => {});
    return open;
  }

  function throwAway() {
    const thrown = open;
    open = undefined;
    if (thrown) within(2_000, thrown.producer.disconnect()).catch(() => {});
  }

  async function send(topic: string, placed: (NewRecord & { partition: number })[], logId: string): Promise<Position[]> {
    const { producer, ready, last } = current();
    const messages = placed.map(({ key, headers, value, partition }) => ({ key, headers, value, partition }));
    const acks = await ready.then(() => producer.send({ topic, acks: -1, timeout: publishTimeoutMs, messages }));
    const next = new Map<number, bigint>();
    for (const { partition, baseOffset, offset } of acks) {
      const base = BigInt(baseOffset ?? offset ?? "-1");
      if (base < 0n || base <= (last.get(`${topic}/${partition}`) ?? -1n))
        throw new LogError("STALE_ACK", `${topic}/${partition} acknowledged ${base}, not above the last one`);
      next.set(partition, base);
    }
    const positions = placed.map(({ partition }): Position => {
      const offset = next.get(partition);
      if (offset === undefined) throw new LogError("STALE_ACK", `${topic}/${partition} was not acknowledged`);
      next.set(partition, offset + 1n);
      return { logId, topic, partition, offset: String(offset) };
    });
    for (const { partition, offset } of positions) last.set(`${topic}/${partition}`, BigInt(offset));
    return positions;
  }

  async function publish(topic: string, records: NewRecord[], logId: string): Promise<Position[]> {
    const partitions = topics[topic]?.partitions;
    if (partitions === undefined) throw new LogError("UNKNOWN_TOPIC", topic);
    if (records.some((record) => Buffer.byteLength(record.value) > recordBytesMax))
      throw new LogError("TOO_LARGE", `a value is longer than ${recordBytesMax} bytes`);
    const placed = records.map((record) => ({ ...record, partition: partitionOf(record.key, partitions) }));
    try {
      return await within(publishTimeoutMs, send(topic, placed, logId));
    } catch (error) {
      throwAway();
      if (error instanceof LogError) throw error;
      if (/^(MESSAGE|RECORD_LIST)_TOO_LARGE$/.test(brokerErrorType(error) ?? ""))
        throw new LogError("TOO_LARGE", "refused by the broker", error);
      throw unavailable(error);
    }
  }

  return {
    publish: (topic: string, records: NewRecord[], logId: string): Promise<Position[]> => {
      const result = queue.then(() => publish(topic, records, logId));
      queue = result.catch(() => {});
      return result;
    },
    close: async () => {
      const { producer } = open ?? {};
      open = undefined;
      if (producer) await within(2_000, producer.disconnect()).catch(() => {});
    },
  };
}
