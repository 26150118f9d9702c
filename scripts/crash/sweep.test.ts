import { describe, expect, it } from "vitest";
import { endsOf, lengthsOf, pointsOf } from "./sweep";

const runs = [
  [
    { front: 3, back: 4 },
    { front: 2, back: 2 },
  ],
  [{ front: 3, back: 5 }],
];

describe("the plan of a sweep", () => {
  it("asks for every message of every transaction that any uncut run had, before and after", () => {
    const points = pointsOf(lengthsOf(runs));
    expect(points).toHaveLength(2 * (3 + 5) + 2 * (2 + 2));
    expect(new Set(points.map((point) => JSON.stringify(point))).size).toBe(points.length);
    expect(points.at(-1)).toEqual({ nthTransaction: 2, side: "back", when: "after", n: 2 });
  });

  it("insists only on what every uncut run had", () => {
    expect(lengthsOf(runs).least).toEqual([
      { front: 3, back: 4 },
      { front: 0, back: 0 },
    ]);
  });

  it("looks once behind each end, and once for a transaction that nobody knew of", () => {
    expect(endsOf(lengthsOf(runs))).toMatchObject([
      { nthTransaction: 1, side: "front", n: 4 },
      { nthTransaction: 1, side: "back", n: 6 },
      { nthTransaction: 2, side: "front", n: 3 },
      { nthTransaction: 2, side: "back", n: 3 },
      { nthTransaction: 3, side: "front", n: 1 },
    ]);
  });

  it("has no point where nothing was seen, which the run calls a failure", () => {
    expect(pointsOf(lengthsOf([[], []]))).toEqual([]);
  });
});
