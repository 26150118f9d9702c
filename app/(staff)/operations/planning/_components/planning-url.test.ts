import { describe, expect, it } from "vitest";
import { isFiltered, noFilter, planningInput } from "./planning-url";

const url = { clinic: null, row: null, ...noFilter };

describe("the address of the planning screen", () => {
  it("asks for everything without filters", () => {
    expect(planningInput(url)).toEqual({ clinic: undefined, filter: { tiles: [], decisionOnly: false, search: undefined } });
    expect(isFiltered(url)).toBe(false);
  });

  it("the open row is no filter, and spaces are no search", () => {
    expect(isFiltered({ ...url, row: "run.1" })).toBe(false);
    expect(planningInput({ ...url, q: "  " }).filter.search).toBeUndefined();
    expect(planningInput({ ...url, q: " SOL-7F3K " }).filter.search).toBe("SOL-7F3K");
  });

  it("a pressed tile and the view of decisions are filters", () => {
    expect(isFiltered({ ...url, state: ["APPLIED"] })).toBe(true);
    expect(planningInput({ ...url, view: "decision" }).filter.decisionOnly).toBe(true);
  });
});
