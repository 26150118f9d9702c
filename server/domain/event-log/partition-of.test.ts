import { readFileSync } from "node:fs";
import path from "node:path";
import { Partitioners } from "kafkajs";
import { expect, it } from "vitest";
import { partitionKey } from "./partition-key";
import { partitionOf } from "./partition-of";

const pins: Record<string, number> = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "contracts/fixtures/partitions-of-12.json"), "utf8"),
);

it("100 keys stay in the partition they were released with", () => {
  expect(Object.keys(pins)).toHaveLength(100);
  expect(Object.fromEntries(Object.keys(pins).map((key) => [key, partitionOf(key, 12)]))).toEqual(pins);
});

it("Kafka's own partitioner puts them in the same place", () => {
  const kafka = Partitioners.DefaultPartitioner();
  const partitionMetadata = Array.from({ length: 12 }, (_, partitionId) => ({ partitionId, leader: 1 })) as never;
  for (const [key, partition] of Object.entries(pins)) {
    expect(kafka({ topic: "any", partitionMetadata, message: { key, value: "" } })).toBe(partition);
  }
});

it("no two lists of ids make one key", () => {
  expect(partitionKey("a", "b/1:c")).not.toBe(partitionKey("a", "b", "c"));
  expect(partitionKey("ab", "c")).not.toBe(partitionKey("a", "bc"));
});
