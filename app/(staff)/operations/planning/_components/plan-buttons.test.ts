import { describe, expect, it } from "vitest";
import type { OfferedRunEvidence } from "@/server/domain/operations/planning-types";
import type { PlanningState } from "@/server/domain/planning/types";
import { buttonsOf, isOffInReview } from "./plan-buttons";

const evidence = (runState: PlanningState, more: { differs?: string[]; behindCount?: number } = {}) =>
  ({
    row: { runState, group: "DECISION", differs: more.differs ?? [] },
    sources: { byVersion: 1, byPlacement: 0, behind: [], behindCount: more.behindCount ?? 0 },
  }) as unknown as OfferedRunEvidence;

describe("what a plan offers", () => {
  it("a ready one is applied, in whole or in part, or discarded", () => {
    expect(buttonsOf(evidence("CALCULATED"))).toEqual(["apply", "applyPart", "discard"]);
  });

  it("a refused one is calculated anew, and nothing else: no retry of an old result", () => {
    expect(buttonsOf(evidence("STALE_REJECTED"))).toEqual(["recalculate"]);
  });

  it("one that the fence would refuse is not offered to be applied", () => {
    for (const more of [{ differs: ["doctors"] }, { behindCount: 1 }])
      for (const state of ["CALCULATED", "RETRYABLE"] as const)
        expect(buttonsOf(evidence(state, more))).toEqual(["recalculate", "discard"]);
  });

  it("a running one is watched or cancelled, an ended one only read", () => {
    expect(buttonsOf(evidence("REQUESTED"))).toEqual(["cancel"]);
    expect(buttonsOf(evidence("CALCULATING"))).toEqual(["cancel"]);
    for (const state of ["APPLIED", "DISCARDED", "FAILED"] as const) expect(buttonsOf(evidence(state))).toEqual([]);
  });

  it("in review nothing is applied, while discarding and calculating anew stay possible", () => {
    expect((["apply", "applyPart", "discard", "recalculate"] as const).map((action) => isOffInReview(true, action))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(isOffInReview(false, "apply")).toBe(false);
  });
});
