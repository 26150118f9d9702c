import { describe, expect, test } from "vitest";
import { type Counted, verdict, whatIsMissing } from "@/scripts/demo/smoke-records";

const whole: Counted = {
  calls: [
    { outcome: "FIRST", count: 1 },
    { outcome: "REPLAYED", count: 1 },
    { outcome: "REUSED", count: 1 },
  ],
  visits: 1,
  changes: 1,
  events: { published: 1, all: 1 },
  consumers: [
    { consumer: "daily-load-v1", state: "PROCESSED", processed: 1, duplicate: 0 },
    { consumer: "reminder-planner-v1", state: "PROCESSED", processed: 1, duplicate: 2 },
  ],
  intents: [{ state: "SENT", count: 1 }],
  sent: 1,
};

describe("what the smoke run asks of the records", () => {
  test("nothing is missing when everything happened once; a duplicate delivery is no effect", () => {
    expect(whatIsMissing(whole)).toEqual([]);
  });
  test.each<[string, Partial<Counted>, string]>([
    ["a second change", { changes: 2 }, "changes: 2 instead of 1"],
    ["a second message", { sent: 2 }, "deliveries to the provider: 2 instead of 1"],
    ["a consumer that has not come", { consumers: [] }, "effects of daily-load-v1: 0 instead of 1"],
    [
      "an effect made twice",
      { consumers: whole.consumers.map((row) => ({ ...row, processed: 2 })) },
      "effects of daily-load-v1: 2 instead of 1",
    ],
    ["an event that stayed", { events: { published: 0, all: 1 } }, "published events: 0 instead of 1"],
    ["a message that waits", { intents: [{ state: "PENDING", count: 1 }] }, "sent notifications: 0 instead of 1"],
    ["a call that was not counted", { calls: whole.calls.slice(0, 2) }, "refused calls with another body: 0 instead of 1"],
  ])("%s is named", (_, change, message) => {
    expect(whatIsMissing({ ...whole, ...change })).toContain(message);
  });
});

describe("how a smoke run ends", () => {
  const counts = /^\d+ passed, \d+ failed$/; // what .ci/run looks for

  test("with the counts of what it asked, alone in the last line", () => {
    const { lines, exitCode } = verdict(whole, []);
    expect([lines.at(-1), exitCode]).toEqual(["12 passed, 0 failed", 0]);
    expect(lines.at(-1)).toMatch(counts);
  });
  test("with each thing that is missing as a failure", () => {
    const { lines, exitCode } = verdict({ ...whole, sent: 2, visits: 0 }, []);
    expect([lines.at(-1), exitCode]).toEqual(["10 passed, 2 failed", 1]);
    expect(lines).toContain("  missing: changed visits: 0 instead of 1");
  });
  test("badly when a process had to be killed, though the records are whole", () => {
    const { lines, exitCode } = verdict(whole, ["workers"]);
    expect([lines.at(-1), exitCode]).toEqual(["11 passed, 1 failed", 1]);
    expect(lines).toContain("  missing: an orderly end: workers had to be killed");
  });
});
