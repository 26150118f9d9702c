import { describe, expect, it } from "vitest";
import type { StoryRecord } from "@/server/domain/operations/story-types";
import { foldTries } from "./story-gaps";
import { laneCount, lanes, storyRows, storyWires } from "./story-rows";

const head = {
  consumers: [{ consumer: "daily-load-v1", deliveries: 1, duplicates: 0, attempts: 1, state: "PROCESSED" }],
  counts: { replays: 0 },
};
const record = (kind: StoryRecord["kind"], what: string, at: string, more: Partial<StoryRecord> = {}): StoryRecord => ({
  kind,
  what,
  at: `2026-08-18 11:58:${at}+00`,
  id: `${kind}.${at}`,
  inTransaction: false,
  reasonCode: null,
  by: null,
  number: null,
  attemptsMax: null,
  durationMs: null,
  partition: null,
  offset: null,
  dueAt: null,
  detail: null,
  rowId: null,
  requestId: null,
  ...more,
});
const inTransaction = { inTransaction: true };

describe("rows of a story", () => {
  const rows = storyRows(head, [
    record("call", "FIRST", "04.012"),
    record("key", "STORED", "04.190001", inTransaction),
    record("change", "CREATED", "04.190001", inTransaction),
    record("event", "AppointmentCreated", "04.190001", inTransaction),
    record("published", "PUBLISHED", "04.655"),
    record("delivery", "PROCESSED", "04.702", { by: "daily-load-v1" }),
    record("call", "REPLAYED", "14.020"),
    record("delivery", "DUPLICATE", "20.340", { by: "daily-load-v1" }),
    record("delivery", "DUPLICATE", "20.340", { by: "daily-load-v1" }),
  ]);

  it("the transaction is one row, and an instant has one row unless its columns meet", () => {
    expect(rows.map((row) => row.nodes.length)).toEqual([1, 3, 1, 1, 2, 1, 1]);
    expect(rows.map((row) => row.isTransaction)).toEqual([false, true, false, false, false, false, false]);
    expect(rows[1]?.afterMs).toBe(178);
  });

  it("a row that left the outbox stands in the column of the outbox, in the order of time, and is the cause of nothing", () => {
    const left = storyRows(head, [
      record("event", "AppointmentCreated", "04.190"),
      record("published", "PUBLISHED", "04.655"),
      record("left", "AppointmentCreated", "50.000"),
    ]);
    expect(left.map((row) => row.nodes[0]?.lane)).toEqual([lanes.event, lanes.log, lanes.event]);
    expect(left[2]?.gap).toBeUndefined();
    expect(storyWires(head, left)).toEqual([{ kind: "down-right", from: [0, lanes.event], to: [1, lanes.log] }]);
  });

  it("a later call says how long after the one before, and stands at its key as a reuse", () => {
    expect(rows[4]?.nodes.map(({ lane, part }) => [lane, part])).toEqual([
      [lanes.call, "record"],
      [lanes.key, "reuse"],
    ]);
    expect(rows[4]?.nodes[0]?.call).toEqual({ number: 2, afterMs: 10_008 });
  });

  it("wires lead from cause to effect, forwards in time", () => {
    const wires = storyWires(head, rows);
    expect(wires).toContainEqual({ kind: "down-right", from: [0, lanes.call], to: [1, lanes.key] });
    expect(wires).toContainEqual({ kind: "right-down", from: [2, lanes.log], to: [3, lanes.consumers] });
    for (const wire of wires) expect(wire.to[0]).toBeGreaterThanOrEqual(wire.from[0]);
  });
});

describe("gaps of a story", () => {
  const gapsOf = (records: StoryRecord[], of = head) =>
    storyRows(of, records).map((row) => row.gap && [row.gap.kind, row.gap.ms, row.gap.lane]);

  it("are named by what ended them, in its column: called again, not published, no confirmation, no message", () => {
    const at = (minute: string, kind: StoryRecord["kind"], what: string, more = {}) =>
      record(kind, what, "00.000", { at: `2026-08-18 12:${minute}:00+00`, ...more });
    expect(
      gapsOf([
        at("00", "call", "FIRST"),
        at("00", "intent", "BOOKED", inTransaction),
        at("00", "event", "AppointmentCreated", inTransaction),
        at("01", "published", "PUBLISHED"),
        at("05", "delivery", "PROCESSED", { by: "daily-load-v1" }),
        at("06", "call", "REPLAYED"),
        at("08", "delivery", "DUPLICATE", { by: "daily-load-v1" }),
        at("11", "sending", "SENT"),
      ]),
    ).toEqual([
      undefined,
      undefined,
      ["UNPUBLISHED", 60_000, lanes.log],
      ["UNCONFIRMED", 240_000, lanes.consumers],
      ["CALLED_AGAIN", 360_000, lanes.call],
      ["REDELIVERED", 180_000, lanes.consumers],
      ["UNSENT", 660_000, lanes.consumers + 1],
    ]);
  });

  it("shorter than ten seconds are none", () => {
    expect(gapsOf([record("call", "FIRST", "04.000"), record("call", "REPLAYED", "13.999")])).toEqual([undefined, undefined]);
    expect(gapsOf([record("call", "FIRST", "04.000"), record("call", "REPLAYED", "14.000")])[1]).toEqual([
      "CALLED_AGAIN",
      10_000,
      lanes.call,
    ]);
  });
});

describe("tries in a row", () => {
  const tries = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      record("delivery", "RETRYABLE", `${String(10 + n * 2)}.000`, { by: "daily-load-v1", number: n + 1 }),
    );

  it("are folded to the first and the last, which says how many lie between, and none is lost", () => {
    const all = storyRows(head, [...tries(5), record("delivery", "QUARANTINED", "30.000", { by: "daily-load-v1" })]);
    const { rows, folded } = foldTries(all);
    expect([all.length, rows.length, folded]).toEqual([6, 3, 3]);
    expect(rows[1]?.gap).toMatchObject({ tries: 3, lane: lanes.consumers });
    expect(rows[1]?.nodes[0]?.record.number).toBe(5);
  });

  it("stay as they are when they are two, or when another record lies between", () => {
    expect(foldTries(storyRows(head, tries(2))).folded).toBe(0);
    const mixed = [...tries(4)];
    mixed.splice(2, 0, record("call", "REPLAYED", "13.000"));
    expect(foldTries(storyRows(head, mixed)).folded).toBe(0);
  });
});

describe("a replay in a story", () => {
  const replayed = { ...head, counts: { replays: 1 } };
  const requestId = "01900000-0000-7000-8000-000000000001";

  it("has a column of its own, and a line from the approval to the attempt that it made", () => {
    expect([laneCount(head), laneCount(replayed)]).toEqual([lanes.consumers + 2, lanes.consumers + 3]);
    const rows = storyRows(replayed, [
      record("delivery", "QUARANTINED", "04.000", { by: "daily-load-v1" }),
      record("replay", "APPROVED", "40.002", { requestId }),
      record("delivery", "PROCESSED", "41.870", { by: "daily-load-v1", requestId }),
      record("replay", "PROCESSED", "41.900", { requestId }),
    ]);
    expect(rows[1]?.gap).toMatchObject({ kind: "UNDECIDED", lane: lanes.consumers + 2 });
    expect(storyWires(replayed, rows)).toContainEqual({
      kind: "left-down",
      from: [1, lanes.consumers + 2],
      to: [2, lanes.consumers],
    });
  });
});
