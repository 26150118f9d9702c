import { describe, expect, it } from "vitest";
import { daysOf, filterOfUrl, isFiltered, isPart, loadPlanningUrl, planningInput, sameFilter, urlOfFilter } from "./planning-url";

const url = { clinic: null, row: null, ...urlOfFilter({}) };

describe("the address of the planning screen", () => {
  it("asks for everything without filters", () => {
    expect(planningInput(url)).toEqual({
      clinic: undefined,
      filter: { tiles: [], decisionOnly: false, days: undefined, search: undefined },
    });
    expect(isFiltered(url)).toBe(false);
  });

  it("the open row is no filter, and spaces are no search", () => {
    const opened = { ...url, row: "run.1" };
    expect(isFiltered(opened)).toBe(false);
    expect(planningInput({ ...url, q: "  " }).filter.search).toBeUndefined();
    expect(planningInput({ ...url, q: " SOL-7F3K " }).filter.search).toBe("SOL-7F3K");
  });

  it("a pressed tile and the view of decisions are filters", () => {
    expect(isFiltered({ ...url, state: ["APPLIED"] })).toBe(true);
    expect(planningInput({ ...url, view: "decision" }).filter.decisionOnly).toBe(true);
  });
});

describe("days in the address", () => {
  it("are named, or a range of two dates; what is neither is no filter", async () => {
    expect(daysOf("today")).toBe("today");
    expect(daysOf("2026-12-01..2026-12-04")).toEqual({ from: "2026-12-01", until: "2026-12-04" });
    for (const text of [
      null,
      "",
      "tomorrow",
      "2026-12-01",
      "2026-12-04..2026-12-01",
      "2026-02-30..2026-03-01",
      "2026-12-01..2026-12-02..2026-12-03",
    ])
      expect(daysOf(text)).toBeNull();
    expect((await loadPlanningUrl({ days: "2026-02-30..2026-03-01" })).days).toBeNull();
    expect((await loadPlanningUrl({ days: "7d" })).days).toBe("7d");
  });

  it("filter, and the counts of the whole queue say nothing of what they leave", () => {
    const week = { ...url, days: "7d" };
    expect(isFiltered(week)).toBe(true);
    expect([isPart(url), isPart(week), isPart({ ...url, view: "decision" })]).toEqual([false, true, false]);
  });
});

describe("a saved view of the planning queue", () => {
  it("leads to the address that it was made from", () => {
    const made = {
      ...url,
      clinic: "CL-1",
      view: "decision" as const,
      state: ["APPLIED" as const],
      days: "2026-12-01..2026-12-04",
      q: "SOL-7F3K",
    };
    expect(planningInput({ ...made, ...urlOfFilter(filterOfUrl(made)) })).toEqual(planningInput(made));
    expect(sameFilter(filterOfUrl(made), { ...filterOfUrl(made), unknown: "x" })).toBe(true);
    expect(sameFilter(filterOfUrl(made), { ...filterOfUrl(made), days: "today" })).toBe(false);
  });

  it("of another release is read as far as it is known", () => {
    expect(urlOfFilter({ view: "later", state: ["NEVER", "APPLIED"], days: "next-year", q: 7 })).toEqual({
      view: "all",
      state: ["APPLIED"],
      days: null,
      q: "",
    });
  });
});
