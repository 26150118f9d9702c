// What every log must do, whichever it is. Run against the embedded log, Kafka and the one in memory by the three test files beside it.
import assert from "node:assert/strict";
import { partitionKey } from "@/server/domain/event-log/partition-key";
import { partitionOf } from "@/server/domain/event-log/partition-of";
import type { EventLog, LogErrorCode, LogRecord, NewRecord } from "@/server/domain/event-log/port";
import { recordBytesMax } from "@/server/domain/event-log/topics";
import { newUuid } from "@/server/ids";

export type ContractCase = { name: string; run: (log: EventLog) => Promise<void> };

const topic = "appointment.v1";
const partitions = 12;
const [tenant, clinic] = [newUuid(), newUuid()];
const newKey = () => partitionKey(tenant, clinic, newUuid());
const record = (key: string, value: string): NewRecord => ({
  key,
  headers: { ce_id: newUuid(), "content-type": "application/json" },
  value,
});
const plain = ({ key, headers, value }: LogRecord): NewRecord => ({ key, headers, value });

export const contractCases: ContractCase[] = [
  {
    name: "publish answers a position for each record, in their order, and offsets of a partition have no gap",
    run: async (log) => {
      const keys = [newKey(), newKey(), newKey()];
      const records = Array.from({ length: 30 }, (_, n) => record(keys[n % 3] as string, `{"n":${n}}`));
      const positions = [...(await log.publish(topic, records.slice(0, 20))), ...(await log.publish(topic, records.slice(20)))];
      assert.equal(positions.length, 30);
      const next = new Map<number, bigint>();
      for (const [n, position] of positions.entries()) {
        assert.equal(position.partition, partitionOf(records[n]?.key as string, partitions));
        assert.equal(position.logId, await log.logId());
        const expected = next.get(position.partition);
        if (expected !== undefined) assert.equal(BigInt(position.offset), expected);
        next.set(position.partition, BigInt(position.offset) + 1n);
      }
    },
  },
  {
    name: "a record comes back as it was given: key, headers and characters",
    run: async (log) => {
      const sent = record(newKey(), JSON.stringify({ text: "Zoë 김 \u{1F9B7} \n", number: "9007199254740993" }));
      const [position] = await log.publish(topic, [sent]);
      assert(position);
      const found = (await log.readAt(topic, position.partition, [position.offset], { deadlineMs: 10_000 })).get(position.offset);
      assert(found && found !== "EXPIRED");
      assert.deepEqual(plain(found), sent);
      assert.deepEqual(found.position, position);
      assert(Math.abs(Date.now() - found.appendedAt.getTime()) < 60_000);
    },
  },
  {
    name: "a group reads from the beginning, each key in order, and goes on behind what it stored",
    run: async (log) => {
      const group = `contract-${newUuid()}`;
      const keys = [newKey(), newKey(), newKey(), newKey()];
      await publishRounds(log, keys, [1, 2, 3]);
      const first = collect(keys);
      const one = await log.consume(group, [topic], first.onBatch);
      await first.until(12);
      await one.stop();
      await publishRounds(log, keys, [4, 5]);
      const second = collect(keys);
      const two = await log.consume(group, [topic], second.onBatch);
      await second.until(8);
      await two.stop();
      for (const key of keys) {
        assert.deepEqual(first.values(key), ["1", "2", "3"]);
        assert.deepEqual(second.values(key), ["4", "5"]);
      }
    },
  },
  {
    name: "the offset is stored after the batch is done, never before",
    run: async (log) => {
      const group = `contract-${newUuid()}`;
      const key = newKey();
      const partition = partitionOf(key, partitions);
      const [position] = await log.publish(topic, [record(key, "1")]);
      const stored = async () => (await log.groupOffsets(group, topic)).find((offset) => offset.partition === partition)?.offset;
      const seen = collect([key]);
      let during: string | undefined;
      const consumption = await log.consume(group, [topic], async (batch, control) => {
        if (batch.some((one) => one.key === key)) during = await stored();
        await seen.onBatch(batch, control);
      });
      await seen.until(1);
      assert.notEqual(during, String(BigInt(position?.offset as string) + 1n));
      await waitUntil(async () => (await stored()) === String(BigInt(position?.offset as string) + 1n));
      await consumption.stop();
    },
  },
  {
    name: "a batch that was not finished at stop is read again by the next member",
    run: async (log) => {
      const group = `contract-${newUuid()}`;
      const key = newKey();
      await log.publish(topic, [record(key, "1")]);
      let interrupted = false;
      const consumption = await log.consume(group, [topic], async (batch, control) => {
        if (!batch.some((one) => one.key === key)) return;
        interrupted = true;
        await new Promise<void>((resolve) => control.signal.addEventListener("abort", () => resolve(), { once: true }));
        throw new Error("stopped in the middle");
      });
      await waitUntil(async () => interrupted);
      await consumption.stop();
      const seen = collect([key]);
      const next = await log.consume(group, [topic], seen.onBatch);
      await seen.until(1);
      await next.stop();
      assert.deepEqual(seen.values(key), ["1"]);
    },
  },
  {
    name: "a bounded read answers exactly what was asked, calls what is not there EXPIRED, and moves no group",
    run: async (log) => {
      const group = `contract-${newUuid()}`;
      const key = newKey();
      const positions = await log.publish(
        topic,
        Array.from({ length: 5 }, (_, n) => record(key, String(n))),
      );
      const seen = collect([key]);
      const consumption = await log.consume(group, [topic], seen.onBatch);
      await seen.until(5);
      await consumption.stop();
      const before = await log.groupOffsets(group, topic);
      const offsets = positions.map((position) => position.offset);
      const beyond = String(BigInt(offsets[4] as string) + 1_000_000n);
      const asked = [offsets[3] as string, offsets[1] as string, beyond];
      const found = await log.readAt(topic, positions[0]?.partition as number, asked, { deadlineMs: 10_000 });
      assert.deepEqual([...found.keys()].sort(), [...asked].sort());
      assert.equal(found.get(beyond), "EXPIRED");
      assert.equal((found.get(offsets[1] as string) as LogRecord).value, "1");
      assert.equal((found.get(offsets[3] as string) as LogRecord).value, "3");
      assert.deepEqual(await log.groupOffsets(group, topic), before);
    },
  },
  {
    name: "watermarks name the first readable and the next offset of every partition",
    run: async (log) => {
      const key = newKey();
      const [position] = await log.publish(topic, [record(key, "1")]);
      const marks = await log.watermarks(topic);
      assert.deepEqual(
        marks.map((mark) => mark.partition),
        Array.from({ length: partitions }, (_, n) => n),
      );
      const mark = marks[position?.partition as number];
      assert(BigInt(mark?.high as string) > BigInt(position?.offset as string));
      assert(BigInt(mark?.low as string) <= BigInt(position?.offset as string));
    },
  },
  {
    name: "a group that never stored an offset has none",
    run: async (log) => assert.deepEqual(await log.groupOffsets(`contract-${newUuid()}`, topic), []),
  },
  {
    name: "what can never be appended is poison, and nothing of its call is appended",
    run: async (log) => {
      const before = await log.watermarks(topic);
      const large = record(newKey(), "x".repeat(recordBytesMax + 1));
      await assert.rejects(log.publish(topic, [record(newKey(), "1"), large]), isPoison("TOO_LARGE"));
      await assert.rejects(log.publish("no-such-topic", [record(newKey(), "1")]), isPoison("UNKNOWN_TOPIC"));
      assert.deepEqual(await log.watermarks(topic), before);
    },
  },
  {
    name: "a record of the largest size passes",
    run: async (log) => {
      const [position] = await log.publish(topic, [record(newKey(), "x".repeat(recordBytesMax))]);
      assert(position);
      const found = (await log.readAt(topic, position.partition, [position.offset], { deadlineMs: 10_000 })).get(position.offset);
      assert.equal((found as LogRecord).value.length, recordBytesMax);
    },
  },
  {
    name: "the log keeps its identity",
    run: async (log) => {
      assert.equal(await log.logId(), await log.logId());
      assert.match(await log.logId(), /^[a-z]+-.+/);
    },
  },
];

/** For logs with groups of several members. */
export const groupCases: ContractCase[] = [
  {
    name: "two members share a group, and one takes over when the other leaves",
    run: async (log) => {
      const group = `contract-${newUuid()}`;
      const keys = Array.from({ length: 24 }, newKey);
      const [a, b] = [collect(keys), collect(keys)];
      const first = await log.consume(group, [topic], a.onBatch);
      const second = await log.consume(group, [topic], b.onBatch);
      let round = 0;
      await waitUntil(async () => {
        await publishRounds(log, keys, [++round]);
        await new Promise((resolve) => setTimeout(resolve, 300));
        return a.count() > 0 && b.count() > 0;
      });
      await first.stop();
      const before = round;
      await publishRounds(log, keys, [before + 1]);
      const all = () => new Set(keys.flatMap((key) => [...a.values(key), ...b.values(key)].map((value) => `${key}/${value}`))).size;
      await waitUntil(async () => all() === keys.length * (before + 1));
      await second.stop();
      for (const key of keys) assert.equal(b.values(key).at(-1), String(before + 1));
    },
  },
];

async function publishRounds(log: EventLog, keys: string[], rounds: number[]) {
  for (const round of rounds)
    await log.publish(
      topic,
      keys.map((key) => record(key, String(round))),
    );
}

/** Keeps what came of some keys; a log that other tests wrote to holds more. */
function collect(keys: string[]) {
  const wanted = new Set(keys);
  const seen: LogRecord[] = [];
  return {
    onBatch: async (batch: LogRecord[], control: Parameters<Parameters<EventLog["consume"]>[2]>[1]) => {
      seen.push(...batch.filter((one) => wanted.has(one.key)));
      await control.heartbeat();
    },
    count: () => seen.length,
    values: (key: string) => seen.filter((one) => one.key === key).map((one) => one.value),
    until: (count: number) => waitUntil(async () => seen.length >= count),
  };
}

async function waitUntil(holds: () => Promise<boolean>, timeoutMs = 40_000) {
  const end = performance.now() + timeoutMs;
  while (!(await holds())) {
    assert(performance.now() < end, "did not come true in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const isPoison = (code: LogErrorCode) => (error: unknown) => {
  const found = error as { code?: string; kind?: string };
  return found.code === code && found.kind === "POISON";
};
