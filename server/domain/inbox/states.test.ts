import { describe, expect, it } from "vitest";
import { backoffMs } from "@/server/domain/leases/backoff";
import { checkOrder, inboxMoves, inboxStates, meetDelivery, settleFailed } from "./states";
import { type Outcome, quarantine, retryLater } from "./types";

const failed = (attempt: number, outcome: Outcome = retryLater("LATER")) =>
  settleFailed({ attempt, attemptsMax: 5 }, outcome as Parameters<typeof settleFailed>[1], () => 0.5);

describe("inbox states", () => {
  it("every state has its moves, and PROCESSED has none", () => {
    expect(Object.keys(inboxMoves).sort()).toEqual([...inboxStates].sort());
    expect(inboxMoves.PROCESSED).toEqual([]);
    for (const targets of Object.values(inboxMoves)) for (const target of targets) expect(inboxStates).toContain(target);
  });

  it("a delivery that finds its row is a duplicate, waits, or is a conflict; it never starts a second attempt", () => {
    expect(meetDelivery("PROCESSED", true)).toBe("DUPLICATE");
    expect(meetDelivery("RETRYABLE", true)).toBe("WAITING");
    expect(meetDelivery("PROCESSING", true)).toBe("HELD");
    expect(meetDelivery("QUARANTINED", true)).toBe("QUARANTINED");
    for (const state of inboxStates) expect(meetDelivery(state, false)).toBe("CONFLICT");
  });

  it("failures wait 2 s × 2ⁿ up to 60 s with full jitter, and the fifth attempt is the last", () => {
    expect([1, 2, 3, 4, 5, 6, 40].map((attempt) => backoffMs(attempt, () => 0.999_999_9))).toEqual([
      1999, 3999, 7999, 15999, 31999, 59999, 59999,
    ]);
    expect(backoffMs(3, () => 0)).toBe(0);
    expect(failed(4)).toEqual({ state: "RETRYABLE", reason: "LATER", waitMs: 8_000, at: null });
    expect(failed(5)).toEqual({ state: "QUARANTINED", reason: "ATTEMPTS_EXHAUSTED" });
    expect(failed(5, retryLater("GAP"))).toEqual({ state: "QUARANTINED", reason: "GAP" });
    expect(failed(1, quarantine("BAD"))).toEqual({ state: "QUARANTINED", reason: "BAD" });
    expect(failed(1, retryLater("LATER", "2027-01-01T00:00:00Z"))).toMatchObject({ at: "2027-01-01T00:00:00Z" });
  });

  it("tells the next sequence from one too late and one too early", () => {
    expect(checkOrder(1n, null)).toBe("NEXT");
    expect(checkOrder(2n, null)).toBe("GAP");
    expect(checkOrder(5n, 4n)).toBe("NEXT");
    expect(checkOrder(4n, 4n)).toBe("REGRESSION");
    expect(checkOrder(6n, 4n)).toBe("GAP");
  });
});
