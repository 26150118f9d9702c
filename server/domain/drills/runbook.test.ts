import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { drillEntry, drillNames } from "./catalog";

const folder = path.resolve(import.meta.dirname, "../../../docs/runbook");
const pages = readdirSync(folder).map((name) => name.replace(/\.md$/, ""));

describe("the runbooks", () => {
  it("are one for each drill, and none without one", () => {
    expect(pages.sort()).toEqual([...drillNames].sort());
  });

  it.each(drillNames)("of %s says symptom, evidence, decision and what never to do, under its number", (name) => {
    const text = readFileSync(path.join(folder, `${name}.md`), "utf8");
    expect(text.startsWith(`# ${drillEntry(name).runbook} · ${name}: `)).toBe(true);
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual(["Symptom", "Evidence to read", "Decision", "Never do"]);
    for (const part of text.split(/^## /m).slice(1))
      expect(part.split("\n").filter((line) => line.startsWith("- ")).length).toBeGreaterThan(1);
  });

  it("have numbers of their own", () => {
    const numbers = drillNames.map((name) => drillEntry(name).runbook);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
