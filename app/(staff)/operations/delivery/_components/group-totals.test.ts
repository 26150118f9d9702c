import { describe, expect, it } from "vitest";
import type { DeliveryCounts } from "@/server/domain/operations/delivery-counts";
import { groupTotals, queueTotal } from "./group-totals";

const counts = { needsDecision: 24, mine: 3, waiting: 28, settled: 2_700 } as DeliveryCounts;
const all = { view: "all" as const, state: [], consumer: null, reason: null, since: null, q: "" };

describe("numbers over the groups of the queue", () => {
  it("are of the rows below them", () => {
    expect(groupTotals(counts, all)).toEqual({ DECISION: 24, WAITING: 28, SETTLED: 2_700 });
    expect(groupTotals(counts, { ...all, view: "decision" })).toEqual({ DECISION: 24, WAITING: null, SETTLED: null });
    expect(groupTotals(counts, { ...all, view: "mine" })).toEqual({ DECISION: 3, WAITING: null, SETTLED: null });
    expect(queueTotal(groupTotals(counts, all), "all")).toBe(2_752);
    expect(queueTotal(groupTotals(counts, { ...all, view: "mine" }), "mine")).toBe(3);
  });

  it.each([
    ["a state", { state: ["PROCESSED" as const] }],
    ["a consumer", { consumer: "daily-load-v1" }],
    ["a reason", { reason: "GAP" }],
    ["a time range", { since: "1h" as const }],
    ["a reference", { q: "APT-7" }],
  ])("are not said of a part that %s leaves", (_, filter) => {
    for (const view of ["all", "decision", "mine"] as const) {
      const totals = groupTotals(counts, { ...all, view, ...filter });
      expect(totals).toEqual({ DECISION: null, WAITING: null, SETTLED: null });
      expect(queueTotal(totals, view)).toBe(null);
    }
  });
});
