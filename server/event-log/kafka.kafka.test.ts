import net from "node:net";
import { Kafka, logLevel } from "kafkajs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EventLog } from "@/server/domain/event-log/port";
import { topics } from "@/server/domain/event-log/topics";
import { newUuid } from "@/server/ids";
import { contractCases, groupCases } from "./contract";
import { openKafkaLog, prepareKafkaLog } from "./kafka";
import { readGroupPrefix } from "./kafka-read";

const brokers = (process.env.KAFKA_BROKERS ?? "").split(",").filter(Boolean);
const topic = "appointment.v1";
let log: EventLog;
const kafka = new Kafka({ brokers: brokers.length > 0 ? brokers : ["127.0.0.1:9092"], logLevel: logLevel.NOTHING });
const admin = kafka.admin();

beforeAll(async () => {
  if (brokers.length === 0) throw new Error("KAFKA_BROKERS names no cluster: npm run test:kafka starts one");
  await prepareKafkaLog(brokers);
  log = openKafkaLog(brokers);
  await admin.connect();
});
afterAll(async () => {
  await log?.close();
  await admin.disconnect();
});

describe("Kafka keeps the contract", () => {
  it.each([...contractCases, ...groupCases])("$name", ({ run }) => run(log));
});

describe("on Kafka", () => {
  it("topics are made with the partition count of the product and are never compacted", async () => {
    await prepareKafkaLog(brokers); // once more: nothing to do
    const { topics: found } = await admin.fetchTopicMetadata({ topics: Object.keys(topics) });
    expect(Object.fromEntries(found.map((one) => [one.name, one.partitions.length]))).toEqual(
      Object.fromEntries(Object.entries(topics).map(([name, { partitions }]) => [name, partitions])),
    );
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: 2, name: topic, configEntries: [{ name: "cleanup.policy", value: "compact" }] }],
    });
    await expect(prepareKafkaLog(brokers)).rejects.toMatchObject({ code: "TOPIC_UNFIT" });
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: 2, name: topic, configEntries: [{ name: "cleanup.policy", value: "delete" }] }],
    });
  });

  it("a bounded read leaves no group behind, and the next start removes what a dead process left", async () => {
    const [position] = await log.publish(topic, [{ key: newUuid(), headers: {}, value: "1" }]);
    await log.readAt(topic, position?.partition as number, [position?.offset as string], { deadlineMs: 10_000 });
    const left = async () => (await admin.listGroups()).groups.filter((group) => group.groupId.startsWith(readGroupPrefix));
    expect(await left()).toEqual([]);
    const dead = kafka.consumer({ groupId: `${readGroupPrefix}dead` });
    await dead.connect();
    await dead.subscribe({ topics: [topic] });
    await dead.run({ autoCommit: false, eachMessage: async () => {} });
    await dead.disconnect();
    expect(await left()).toHaveLength(1);
    await prepareKafkaLog(brokers);
    expect(await left()).toEqual([]);
  });

  it("a group whose next record was deleted does not go on elsewhere", async () => {
    const group = `contract-${newUuid()}`;
    const key = newUuid();
    const positions = await log.publish(
      topic,
      [1, 2, 3].map((n) => ({ key, headers: {}, value: String(n) })),
    );
    const partition = positions[0]?.partition as number;
    await admin.setOffsets({ groupId: group, topic, partitions: [{ partition, offset: positions[0]?.offset as string }] });
    await admin.deleteTopicRecords({ topic, partitions: [{ partition, offset: positions[2]?.offset as string }] });
    await expect(log.consume(group, [topic], async () => {})).rejects.toMatchObject({ code: "OFFSETS_LOST" });
    const found = await log.readAt(
      topic,
      partition,
      positions.map((position) => position.offset),
      { deadlineMs: 10_000 },
    );
    expect(positions.map(({ offset }) => (found.get(offset) === "EXPIRED" ? "EXPIRED" : "there"))).toEqual(["EXPIRED", "EXPIRED", "there"]);
  });

  it("a handler that takes longer than a session keeps its partition by heartbeats", async () => {
    const slow = openKafkaLog(brokers, { sessionTimeoutMs: 6_000 });
    const group = `contract-${newUuid()}`;
    const key = newUuid();
    await slow.publish(topic, [{ key, headers: {}, value: "1" }]);
    let times = 0;
    let finished = 0;
    const consumption = await slow.consume(group, [topic], async (batch, control) => {
      if (!batch.some((one) => one.key === key)) return;
      times += 1;
      const end = performance.now() + 9_000;
      while (performance.now() < end && !control.signal.aborted) {
        await control.heartbeat();
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      finished += 1;
    });
    while (finished === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    await consumption.stop();
    await slow.close();
    expect(times).toBe(1);
  });

  it("a cluster that is not there is an outage with an end, not a wait without one", async () => {
    const nowhere = openKafkaLog(["127.0.0.1:1"]);
    await expect(nowhere.publish(topic, [{ key: "k", headers: {}, value: "1" }])).rejects.toMatchObject({
      code: "UNAVAILABLE",
      kind: "OUTAGE",
    });
    await expect(nowhere.watermarks(topic)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await nowhere.close();
  });

  it("a broker that takes everything and says nothing is an outage with an end, whatever is asked of it", async () => {
    const sockets = new Set<net.Socket>();
    const server = net.createServer((socket) => sockets.add(socket.on("error", () => {})));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const silent = openKafkaLog([`127.0.0.1:${(server.address() as net.AddressInfo).port}`]);
    const asked = [
      silent.publish(topic, [{ key: "k", headers: {}, value: "1" }]),
      silent.watermarks(topic),
      silent.readAt(topic, 0, ["0"], { deadlineMs: 2_000 }),
      silent.consume("nobody", [topic], async () => {}),
    ];
    for (const outcome of await Promise.allSettled(asked))
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "UNAVAILABLE", kind: "OUTAGE" } });
    await silent.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});
