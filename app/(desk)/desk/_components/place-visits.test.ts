import { describe, expect, it } from "vitest";
import { placeVisits } from "./place-visits";

const at = (from: number, until: number) => ({ from, until });
const lanes = (items: { from: number; until: number }[]) => placeVisits(items).map(({ item, lane, lanes }) => [item.from, lane, lanes]);

describe("placeVisits", () => {
  it("visits that touch stand below each other", () => {
    expect(lanes([at(0, 10), at(10, 20)])).toEqual([
      [0, 0, 1],
      [10, 0, 1],
    ]);
  });

  it("visits that overlap stand side by side and hide nothing", () => {
    expect(lanes([at(5, 15), at(0, 10), at(12, 20)])).toEqual([
      [0, 0, 2],
      [5, 1, 2],
      [12, 0, 2],
    ]);
  });

  it("a chain that ended gives its width back", () => {
    expect(lanes([at(0, 10), at(0, 10), at(0, 10), at(10, 20)])).toEqual([
      [0, 0, 3],
      [0, 1, 3],
      [0, 2, 3],
      [10, 0, 1],
    ]);
  });

  it("H-O1 a short visit is not hidden behind a longer one: three that overlap share the width", () => {
    const minutes = [at(540, 600), at(555, 570), at(560, 590)]; // 09:00–10:00, 09:15–09:30, 09:20–09:50
    expect(lanes(minutes).map(([, lane, of]) => [lane, of])).toEqual([
      [0, 3],
      [1, 3],
      [2, 3],
    ]);
  });

  it("no visits, no pieces", () => {
    expect(placeVisits([])).toEqual([]);
  });
});
