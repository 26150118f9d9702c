import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { add, countPlaywright, countVitest, lastLine } from "@/scripts/lib/counts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "counts-test-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: unknown) => {
  const target = path.join(folder, name);
  writeFileSync(target, JSON.stringify(content));
  return target;
};
const vitest = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 1, numTodoTests: 0, testResults: [] as unknown[] };

describe("counting a test run", () => {
  test("a passing run counts its tests", () => {
    expect(countVitest(file("a.json", vitest), 0)).toEqual({ passed: 3, failed: 0, skipped: 1 });
  });
  test("a file that could not be loaded is a failure", () => {
    const broken = { ...vitest, testResults: [{ status: "failed", assertionResults: [] }] };
    expect(countVitest(file("b.json", broken), 1).failed).toBe(1);
  });
  test("a run that ended badly with no failed test is a failure", () => {
    expect(countVitest(file("c.json", vitest), 1).failed).toBe(1);
    expect(countPlaywright(file("d.json", { stats: { expected: 2, unexpected: 0, flaky: 0, skipped: 0 }, errors: [] }), 1).failed).toBe(1);
  });
  test("a run that left no report is a failure", () => {
    expect(countVitest(path.join(folder, "none.json"), 0).failed).toBe(1);
    expect(countPlaywright(path.join(folder, "none.json"), 0).failed).toBe(1);
  });
  test("a browser run counts unexpected ends and errors outside of tests", () => {
    const report = { stats: { expected: 5, unexpected: 2, flaky: 0, skipped: 1 }, errors: [{}] };
    expect(countPlaywright(file("e.json", report), 1)).toEqual({ passed: 5, failed: 3, skipped: 1 });
  });
  test("parts add up to one line", () => {
    expect(lastLine(add({ passed: 1, failed: 2, skipped: 0 }, { passed: 3, failed: 0, skipped: 4 }))).toBe("4 passed, 2 failed");
  });
});
