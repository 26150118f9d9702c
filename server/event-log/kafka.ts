// The log on Apache Kafka, for a deployment that outgrows one machine. kafkajs is spoken here and in the kafka-… files beside it, nowhere else.
import { setTimeout as sleep } from "node:timers/promises";
import { type Admin, Kafka } from "kafkajs";
import { type EventLog, LogError } from "@/server/domain/event-log/port";
import { topics } from "@/server/domain/event-log/topics";
import { type KafkaConsumeOptions, kafkaConsume } from "./kafka-consume";
import { brokerErrorType, unavailable, within } from "./kafka-errors";
import { kafkaLogCreator } from "./kafka-logger";
import { kafkaPublisher } from "./kafka-publish";
import { readGroupPrefix, readOffsets } from "./kafka-read";

const adminMs = 10_000;

/** Opens a client; nothing is sent before it is needed. Call `prepareKafkaLog` once before the first publish. */
export function openKafkaLog(brokers: string[], options: KafkaConsumeOptions = {}): EventLog {
  const kafka = newClient(brokers);
  const admin = lazyAdmin(kafka);
  const publisher = kafkaPublisher(kafka);
  let id: Promise<string> | undefined;
  const logId = () => {
    id ??= ask(admin, async (connected) => `kafka-${(await connected.describeCluster()).clusterId}`);
    id.catch(() => {
      id = undefined;
    });
    return id;
  };
  const watermarks: EventLog["watermarks"] = async (topic) => {
    const offsets = await ask(admin, (connected) => connected.fetchTopicOffsets(topic));
    return offsets.map(({ partition, low, high }) => ({ partition, low, high })).sort((a, b) => a.partition - b.partition);
  };
  const groupOffsets: EventLog["groupOffsets"] = async (group, topic) => {
    const found = await ask(admin, (connected) => connected.fetchOffsets({ groupId: group, topics: [topic] }));
    const stored = found.flatMap((one) => one.partitions).filter(({ offset }) => offset !== "-1"); // -1: nothing stored
    return stored.map(({ partition, offset }) => ({ partition, offset })).sort((a, b) => a.partition - b.partition);
  };
  return {
    logId,
    watermarks,
    groupOffsets,
    publish: async (topic, records) => publisher.publish(topic, records, await logId()),
    consume: async (group, names, onBatch) => {
      for (const topic of names) await assertOffsetsReadable(group, topic, await groupOffsets(group, topic), await watermarks(topic));
      return kafkaConsume(kafka, { group, topics: names, logId: await logId(), onBatch, ...options });
    },
    readAt: async (topic, partition, offsets, { deadlineMs }) => {
      const mark = (await watermarks(topic)).find((one) => one.partition === partition);
      return readOffsets(kafka, {
        topic,
        partition,
        offsets,
        deadlineMs,
        logId: await logId(),
        low: mark?.low ?? "0",
        high: mark?.high ?? "0",
      });
    },
    close: async () => {
      await publisher.close();
      await admin.close();
    },
  };
}

/**
 * Makes missing topics, refuses (TOPIC_UNFIT) a partition count or clean-up policy that would move keys or lose events, and removes what bounded
 * reads of dead processes left. Safe to run at every start. `replicationFactor`: -1 takes the cluster's default.
 */
export async function prepareKafkaLog(brokers: string[], replicationFactor = -1): Promise<void> {
  const admin = lazyAdmin(newClient(brokers));
  try {
    await ask(admin, async (connected) => {
      const existing = new Set(await connected.listTopics());
      const missing = Object.entries(topics).filter(([topic]) => !existing.has(topic));
      const configEntries = [{ name: "cleanup.policy", value: "delete" }];
      const created = missing.map(([topic, { partitions }]) => ({ topic, numPartitions: partitions, replicationFactor, configEntries }));
      if (created.length > 0) await connected.createTopics({ topics: created, waitForLeaders: true });
      await assertTopicsFit(connected);
      await removeLeftReadGroups(connected);
    });
  } finally {
    await admin.close();
  }
}

function newClient(brokers: string[]): Kafka {
  return new Kafka({
    clientId: "appointment-operations",
    brokers,
    logCreator: kafkaLogCreator,
    connectionTimeout: 3_000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries: 4 },
  });
}

/** ConfigResourceTypes.TOPIC of kafkajs, which Node cannot import by name from its CommonJS build. */
const topicResource = 2;

async function assertTopicsFit(admin: Admin): Promise<void> {
  const { topics: found } = await admin.fetchTopicMetadata({ topics: Object.keys(topics) });
  for (const [topic, { partitions }] of Object.entries(topics)) {
    const count = found.find((one) => one.name === topic)?.partitions.length;
    if (count !== partitions)
      throw new LogError("TOPIC_UNFIT", `${topic} has ${count} partitions instead of ${partitions}: keys would move`);
  }
  const resources = Object.keys(topics).map((name) => ({ type: topicResource, name, configNames: ["cleanup.policy"] }));
  const described = await admin.describeConfigs({ resources, includeSynonyms: false });
  for (const resource of described.resources) {
    const policy = resource.configEntries.find((entry) => entry.configName === "cleanup.policy")?.configValue;
    if (policy !== "delete")
      throw new LogError("TOPIC_UNFIT", `cleanup.policy of ${resource.resourceName} is ${policy}: events of a key would vanish`);
  }
}

async function removeLeftReadGroups(admin: Admin): Promise<void> {
  const { groups } = await admin.listGroups();
  const ids = groups.map((group) => group.groupId).filter((groupId) => groupId.startsWith(readGroupPrefix));
  if (ids.length === 0) return;
  const described = await admin.describeGroups(ids);
  const empty = described.groups.filter((group) => group.state === "Empty").map((group) => group.groupId);
  if (empty.length > 0) await admin.deleteGroups(empty).catch(() => {}); // the next start tries again
}

type Offsets = { partition: number; offset: string }[];
type Marks = { partition: number; low: string; high: string }[];

/** kafkajs would go on from the oldest record there is and store that, without a word: events in between would be lost. */
function assertOffsetsReadable(group: string, topic: string, stored: Offsets, marks: Marks): void {
  for (const { partition, offset } of stored) {
    const mark = marks.find((one) => one.partition === partition);
    if (!mark || BigInt(offset) < BigInt(mark.low) || BigInt(offset) > BigInt(mark.high))
      throw new LogError("OFFSETS_LOST", `${group} stands at ${offset} of ${topic}/${partition}, which the log does not hold`);
  }
}

type LazyAdmin = { connected(): Promise<Admin>; forget(): void; close(): Promise<void> };

function lazyAdmin(kafka: Kafka): LazyAdmin {
  let current: { admin: Admin; ready: Promise<void> } | undefined;
  const forget = () => {
    current?.admin.disconnect().catch(() => {});
    current = undefined;
  };
  return {
    connected: async () => {
      if (!current) {
        const admin = kafka.admin();
        current = { admin, ready: admin.connect() };
        current.ready.catch(() => {});
      }
      await current.ready;
      return current.admin;
    },
    forget,
    close: async () => {
      const admin = current?.admin;
      current = undefined;
      if (admin) await within(2_000, admin.disconnect()).catch(() => {});
    },
  };
}

/** One question to the cluster, with an end of its own. After a failure the connection is made anew. */
async function ask<T>(admin: LazyAdmin, question: (connected: Admin) => Promise<T>): Promise<T> {
  try {
    return await within(adminMs, againWhileLeadersMove(admin, question));
  } catch (error) {
    admin.forget();
    throw error instanceof LogError ? error : unavailable(error);
  }
}

/**
 * kafkajs asks about offsets by the metadata that it has, and gives up when a partition has just got its leader (a new topic, a restarted broker).
 * A new connection reads them anew: at most five times, 200 ms apart.
 */
export async function againWhileLeadersMove<T>(
  admin: Pick<LazyAdmin, "connected" | "forget">,
  question: (connected: Admin) => Promise<T>,
  pauseMs = 200,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await question(await admin.connected());
    } catch (error) {
      const isMoving = ["NOT_LEADER_FOR_PARTITION", "LEADER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PARTITION"].includes(
        brokerErrorType(error) ?? "",
      );
      if (!isMoving || tries === 5) throw error;
      admin.forget();
      await sleep(pauseMs);
    }
  }
}
