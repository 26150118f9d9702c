import type { Consumer, EachBatchPayload, Kafka } from "kafkajs";
import { type BatchControl, type Consumption, LogError, type LogRecord } from "@/server/domain/event-log/port";
import { within } from "./kafka-errors";
import { fromKafka } from "./kafka-record";

export type KafkaConsumeOptions = {
  /** 100 records of one partition */
  batchMax?: number;
  /** 30 s; a handler ends within half of it */
  sessionTimeoutMs?: number;
};
type Consume = KafkaConsumeOptions & {
  group: string;
  topics: string[];
  logId: string;
  onBatch: (batch: LogRecord[], control: BatchControl) => Promise<void>;
};

/**
 * One member of a Kafka group. Offsets are committed by hand behind each finished batch: kafkajs's own commits would pass a batch that is not durable.
 * A crash that kafkajs will not restart from rejects `ended`.
 */
export async function kafkaConsume(kafka: Kafka, consume: Consume): Promise<Consumption> {
  const consumer = kafka.consumer({
    groupId: consume.group,
    sessionTimeout: consume.sessionTimeoutMs ?? 30_000,
    heartbeatInterval: Math.floor((consume.sessionTimeoutMs ?? 30_000) / 10),
    maxWaitTimeInMs: 250, // the default of 5 s holds stop() and every first record back for as long
    allowAutoTopicCreation: false,
    retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 8, restartOnFailure: async () => true },
  });
  const stopping = new AbortController();
  let lastPollMs = performance.now();
  const { promise: ended, resolve: end, reject: crash } = deferred();
  ended.catch(() => {}); // whoever awaits it gets it

  const alive = () => {
    lastPollMs = performance.now();
  };
  consumer.on(consumer.events.FETCH, alive);
  consumer.on(consumer.events.HEARTBEAT, alive);
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    if (!payload.restart && !stopping.signal.aborted) crash(new LogError("CRASHED", `${consume.group} stopped consuming`, payload.error));
  });

  const run = async () => {
    await consumer.connect();
    await consumer.subscribe({ topics: consume.topics, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: 3,
      eachBatch: (payload) => eachBatch(consumer, consume, payload, stopping.signal),
    });
  };
  await run().catch((error: unknown) => {
    consumer.disconnect().catch(() => {});
    throw new LogError("UNAVAILABLE", `${consume.group} could not start consuming`, error);
  });
  return {
    ended,
    lastPollMs: () => lastPollMs,
    stop: async (deadlineMs = 5_000) => {
      stopping.abort();
      await within(deadlineMs, consumer.disconnect()).catch(() => {}); // stops first; what does not stop in time loses its session
      end();
    },
  };
}

async function eachBatch(consumer: Consumer, consume: Consume, payload: EachBatchPayload, stopping: AbortSignal): Promise<void> {
  const { batch, isRunning, isStale, resolveOffset, heartbeat } = payload;
  const { topic, partition, messages } = batch;
  const size = consume.batchMax ?? 100;
  for (let from = 0; from < messages.length; from += size) {
    if (stopping.aborted || !isRunning() || isStale()) return;
    const records = messages.slice(from, from + size).map((message) => fromKafka(message, topic, partition, consume.logId));
    const lost = new AbortController();
    let failure: unknown;
    const control: BatchControl = {
      signal: AbortSignal.any([stopping, lost.signal]),
      heartbeat: () =>
        heartbeat().catch((error: unknown) => {
          failure = error; // the group rebalances: what is not finished is somebody else's
          lost.abort();
        }),
    };
    try {
      await consume.onBatch(records, control);
    } catch (error) {
      if (stopping.aborted) return;
      throw failure ?? error;
    }
    const next = BigInt(records.at(-1)?.position.offset as string) + 1n;
    resolveOffset(String(next - 1n));
    await consumer.commitOffsets([{ topic, partition, offset: String(next) }]);
    if (failure) throw failure;
    await heartbeat();
  }
}

function deferred() {
  let resolve!: () => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
