import { describe, expect, it } from "vitest";
import { drillEntry, drillGroups, drillNames, drillsNamed } from "./catalog";

describe("a word that names drills", () => {
  it("all is every drill, once, in the order of the catalogue", () => {
    expect(drillsNamed("all")).toEqual(drillNames);
    expect(new Set(drillNames).size).toBe(drillNames.length);
  });

  it("every group names its drills and no other, and together they are all", () => {
    expect(drillGroups).toEqual(["delivery", "planning", "infrastructure"]);
    for (const group of drillGroups)
      expect(drillsNamed(group)?.map((name) => drillEntry(name).group)).toEqual(drillsNamed(group)?.map(() => group));
    expect(drillGroups.flatMap((group) => drillsNamed(group) ?? []).sort()).toEqual([...drillNames].sort());
  });

  it.each(drillNames)("%s names itself", (name) => {
    expect(drillsNamed(name)).toEqual([name]);
  });

  it.each(["", "ALL", "deliver", "poison", "toString"])("%j names none, so that the command says so", (word) => {
    expect(drillsNamed(word)).toBeUndefined();
  });
});
