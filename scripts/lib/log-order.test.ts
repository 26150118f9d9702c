import { expect, it } from "vitest";
import type { LogRecord } from "@/server/domain/event-log/port";
import { outOfOrder } from "./log-order";

const record = (key: string, seq: number, partition = 0, id = `${key}${seq}`): LogRecord => ({
  key,
  headers: { ce_id: id, ce_aggregateseq: String(seq) },
  value: "",
  position: { logId: "l", topic: "t", partition, offset: "0" },
  appendedAt: new Date(0),
});

it("accepts events in order, and copies of earlier ones behind them", () => {
  expect(outOfOrder([record("a", 1), record("b", 1, 1), record("a", 2), record("a", 1), record("a", 3)])).toEqual([]);
});

it("names a visit whose later event came first, that misses one, or that lies in two partitions", () => {
  expect(outOfOrder([record("a", 2), record("a", 1)])).toEqual(["the log holds a in the order 2,1"]);
  expect(outOfOrder([record("a", 1), record("a", 3)])).toHaveLength(1);
  expect(outOfOrder([record("a", 1), record("a", 2, 1)])).toHaveLength(1);
});
