import { describe, expect, it } from "vitest";
import { replayStates } from "@/db/schema/replay";
import { inboxStates } from "@/server/domain/inbox/states";
import { fitsInto, offsetsSpanned, rangesOf } from "./manifest";
import { outsideLog, toRanges } from "./missing-offsets";
import {
  chunkSize,
  controlMove,
  endOf,
  hasEnded,
  type ItemFacts,
  noReplayCounts,
  paceMs,
  replayMoves,
  stepOf,
  stopReasonOf,
} from "./states";

const counts = (more: Partial<ReturnType<typeof noReplayCounts>>) => ({ ...noReplayCounts(), ...more });
const bounds = { canarySize: 10, ratePerSecond: 20, maxSeconds: 180, stopSharePercent: 20 };

describe("a job", () => {
  it("has moves for every state, and none out of an end", () => {
    expect(Object.keys(replayMoves)).toEqual([...replayStates]);
    expect(replayStates.filter(hasEnded)).toEqual(["COMPLETED", "NEEDS_ACTION", "INCOMPLETE", "CANCELLED", "EXPIRED"]);
  });

  it.each([
    [{ PROCESSED: 3, DUPLICATE: 2 }, false, false, "COMPLETED"],
    [{ PROCESSED: 3, RETRYABLE: 1 }, false, false, "NEEDS_ACTION"],
    [{ PROCESSED: 3, QUARANTINED: 1, NOT_REACHED: 5 }, false, true, "NEEDS_ACTION"],
    [{ PROCESSED: 3, SKIPPED: 1 }, false, false, "INCOMPLETE"],
    [{ PROCESSED: 3, NOT_REACHED: 1 }, false, false, "INCOMPLETE"],
    [{ PROCESSED: 3, NOT_REACHED: 1 }, false, true, "CANCELLED"],
    [{ PROCESSED: 3 }, false, true, "COMPLETED"],
    [{ PROCESSED: 3 }, true, false, "INCOMPLETE"],
    [{ PROCESSED: 3, QUARANTINED: 1 }, true, false, "INCOMPLETE"],
  ] as const)("with %o, missing offsets %s, cancelled %s ends %s", (items, hasMissing, isCancelled, end) => {
    expect(endOf(counts(items), hasMissing, isCancelled)).toBe(end);
  });

  it.each([
    ["the canary is not all tried", { PROCESSED: 4, QUARANTINED: 5 }, 100, null],
    ["the canary fails", { PROCESSED: 7, QUARANTINED: 3 }, 100, "CANARY_FAILED"],
    ["the canary holds", { PROCESSED: 8, QUARANTINED: 2 }, 100, null],
    ["skipped ones are no evidence", { SKIPPED: 50, PROCESSED: 1, QUARANTINED: 1 }, 100, null],
    ["the rest fails", { PROCESSED: 30, RETRYABLE: 10 }, 100, "STOP_SHARE"],
    ["duplicates count as done", { DUPLICATE: 9, QUARANTINED: 1 }, 100, null],
    ["a manifest of one has failed", { QUARANTINED: 1 }, 1, "CANARY_FAILED"],
  ] as const)("stops by itself when %s", (_, tried, records, reason) => {
    expect(stopReasonOf(counts(tried), bounds, records, 0)).toBe(reason);
  });

  it("stops when its time is used up, whatever it has done", () => {
    expect(stopReasonOf(counts({ PROCESSED: 1 }), bounds, 100, 180_000)).toBe("MAX_TIME");
    expect(stopReasonOf(counts({ PROCESSED: 1 }), bounds, 100, 179_999)).toBeNull();
  });

  it("never takes more than the canary before that is judged, and no more than five seconds of work", () => {
    expect(chunkSize(counts({}), bounds, false)).toBe(10);
    expect(chunkSize(counts({ PROCESSED: 4, SKIPPED: 3 }), bounds, false)).toBe(6);
    expect(chunkSize(counts({ PROCESSED: 10 }), bounds, false)).toBe(50);
    expect(chunkSize(counts({ PROCESSED: 10 }), { ...bounds, ratePerSecond: 2 }, false)).toBe(10);
    expect(chunkSize(counts({ PROCESSED: 10 }), bounds, true)).toBe(100);
  });

  it("waits for its rate and never for time that has passed", () => {
    expect([paceMs(0, 0, 20), paceMs(1, 0, 20), paceMs(20, 400, 20), paceMs(20, 2_000, 20)]).toEqual([0, 50, 600, 0]);
  });
});

describe("an item", () => {
  const row = { state: "QUARANTINED", isUnchanged: true, isDue: true, isLeaseOver: false, reasonCode: "GAP" } as const;
  const base: ItemFacts = { row, isClaimedByUs: false, isGivenBack: false, ownEnd: null, blocker: "NONE" };
  const step = (change: Partial<Omit<ItemFacts, "row">> & { row?: Partial<ItemFacts["row"]> | null }) => {
    const facts = { ...base, ...change, row: change.row === null ? null : { ...row, ...change.row } } as ItemFacts;
    const next = stepOf(facts);
    return next.step === "SETTLE" ? `${next.outcome} ${next.reasonCode}` : next.step;
  };

  it.each([
    ["nobody has touched", {}, "RUN"],
    ["waits behind another item of the same job", { blocker: "OPEN_ITEM" as const }, "RUN"],
    ["waits behind a row outside the manifest", { blocker: "OTHER_ROW" as const }, "SKIPPED BLOCKED_BY"],
    ["changed since the preview", { row: { isUnchanged: false } }, "SKIPPED CHANGED"],
    ["has its time in the future", { row: { state: "RETRYABLE" as const, isDue: false } }, "SKIPPED NOT_DUE"],
    ["is gone", { row: null }, "SKIPPED CHANGED"],
    ["another worker finished", { row: { state: "PROCESSED" as const, isUnchanged: false, reasonCode: null } }, "DUPLICATE null"],
    ["another worker holds", { row: { state: "PROCESSING" as const, isUnchanged: false } }, "SKIPPED CHANGED"],
    ["our worker holds", { row: { state: "PROCESSING" as const, isUnchanged: false }, isClaimedByUs: true }, "WAIT"],
    [
      "our dead worker held",
      { row: { state: "PROCESSING" as const, isUnchanged: false, isLeaseOver: true }, isClaimedByUs: true },
      "TAKE_OVER",
    ],
    ["we finished", { ownEnd: { outcome: "PROCESSED" as const, reasonCode: null } }, "PROCESSED null"],
    ["we finished without effect", { ownEnd: { outcome: "PROCESSED" as const, reasonCode: "SUPERSEDED" } }, "PROCESSED SUPERSEDED"],
    [
      "we failed at, whatever came later",
      { ownEnd: { outcome: "QUARANTINED" as const, reasonCode: "GAP" }, row: { state: "PROCESSED" as const } },
      "QUARANTINED GAP",
    ],
    [
      "our dead worker held and the scheduler finished",
      {
        ownEnd: { outcome: "RETRYABLE" as const, reasonCode: "LEASE_EXPIRED" },
        row: { state: "PROCESSED" as const, isUnchanged: false, reasonCode: null },
      },
      "PROCESSED null",
    ],
    [
      "our dead worker held and the scheduler holds",
      { ownEnd: { outcome: "RETRYABLE" as const, reasonCode: "LEASE_EXPIRED" }, row: { state: "PROCESSING" as const, isUnchanged: false } },
      "WAIT",
    ],
    [
      "a stopping worker gave back",
      { row: { state: "RETRYABLE" as const, isUnchanged: false, reasonCode: "RELEASED" }, isClaimedByUs: true },
      "RETRYABLE RELEASED",
    ],
    ["our stopping worker gave back", { isGivenBack: true }, "RUN"],
    [
      "our dead worker held and a stopping one gave back",
      { isGivenBack: true, ownEnd: { outcome: "RETRYABLE" as const, reasonCode: "LEASE_EXPIRED" } },
      "RUN",
    ],
  ])("that %s: %o is %s", (_, change, expected) => {
    expect(step(change)).toBe(expected);
  });

  it("has one step for every state of its row, claimed or not", () => {
    for (const state of inboxStates)
      for (const isClaimedByUs of [true, false]) expect(step({ row: { state, reasonCode: "GAP" }, isClaimedByUs })).toBeTruthy();
  });
});

describe("a person's wish", () => {
  const asked = (act: Parameters<typeof controlMove>[0], state: (typeof replayStates)[number], wanted = "RUN", hasStarted = false) => {
    const move = controlMove(act, { state, wanted, hasStarted });
    return move.end === "MOVE" ? `${move.state} ${move.wanted}` : move.end;
  };
  it("pauses, resumes and cancels what has not ended, and does nothing twice", () => {
    expect(asked("PAUSE", "QUEUED")).toBe("PAUSED PAUSE");
    expect(asked("PAUSE", "RUNNING", "RUN", true)).toBe("RUNNING PAUSE");
    expect(asked("PAUSE", "RUNNING", "PAUSE", true)).toBe("NO_CHANGE");
    expect(asked("RESUME", "PAUSED", "PAUSE", true)).toBe("QUEUED RUN");
    expect(asked("RESUME", "RUNNING", "PAUSE", true)).toBe("RUNNING RUN");
    expect(asked("RESUME", "RUNNING", "RUN", true)).toBe("NO_CHANGE");
    expect(asked("CANCEL", "QUEUED")).toBe("CANCELLED CANCEL");
    expect(asked("CANCEL", "AWAITING_SECOND")).toBe("CANCELLED CANCEL");
    expect(asked("CANCEL", "RUNNING", "RUN", true)).toBe("RUNNING CANCEL");
    expect(asked("CANCEL", "PAUSED", "PAUSE", true)).toBe("QUEUED CANCEL");
    expect(asked("CANCEL", "CANCELLED", "CANCEL", true)).toBe("NO_CHANGE");
    expect(asked("RESUME", "RUNNING", "CANCEL", true)).toBe("NOT_ALLOWED");
    for (const act of ["PAUSE", "RESUME", "CANCEL"] as const)
      for (const state of ["PREVIEWED", "COMPLETED", "NEEDS_ACTION", "INCOMPLETE", "EXPIRED"] as const)
        expect(asked(act, state)).toBe("NOT_ALLOWED");
  });
});

describe("offsets", () => {
  it("that are missing are listed exactly, in the fewest ranges", () => {
    const at = (partition: number, offset: string) => ({ partition, offset });
    expect(toRanges([at(2, "10"), at(1, "9"), at(1, "8"), at(1, "11"), at(1, "10")])).toEqual([
      { partition: 1, first: "8", last: "11" },
      { partition: 2, first: "10", last: "10" },
    ]);
  });

  it("outside the log are never clamped away", () => {
    const marks = [{ partition: 1, low: "100", high: "200" }];
    const outside = (first: string, last: string, partition = 1) =>
      outsideLog([{ partition, first, last }], marks).map((r) => `${r.first}-${r.last}`);
    expect(outside("100", "199")).toEqual([]);
    expect(outside("90", "150")).toEqual(["90-99"]);
    expect(outside("150", "210")).toEqual(["200-210"]);
    expect(outside("90", "210")).toEqual(["90-99", "200-210"]);
    expect(outside("1", "5")).toEqual(["1-5"]);
    expect(outside("500", "505")).toEqual(["500-505"]);
    expect(outside("1", "2", 7)).toEqual(["1-2"]);
  });

  it("are spanned by partition, and the rows that fit are counted in their order", () => {
    const rows = [
      { partition: 1, offset: "10" },
      { partition: 1, offset: "19" },
      { partition: 2, offset: "5" },
      { partition: 2, offset: "1000" },
    ];
    const ranges = rangesOf(rows, [{ partition: 1, high: "20" }]);
    expect(ranges).toEqual([
      { partition: 1, first: "10", last: "19", logEnd: "20", records: 2 },
      { partition: 2, first: "5", last: "1000", logEnd: null, records: 2 },
    ]);
    expect(offsetsSpanned(ranges)).toBe(10n + 996n);
    expect([fitsInto(rows, 2_000), fitsInto(rows, 1_005), fitsInto(rows, 10), fitsInto(rows, 9)]).toEqual([4, 3, 2, 1]);
  });
});
