import { describe, expect, it } from "vitest";
import type { Tx } from "@/db/client";
import { type ConsumerEvent, done, type LogicalConsumer } from "@/server/domain/inbox/types";
import { newUuid } from "@/server/ids";
import { withDemoFaults } from "./demo-faults";
import { logicalConsumers } from "./logical-consumers";
import { registeredConsumers } from "./registered-consumers";

const seen: string[] = [];
const consumer: LogicalConsumer = {
  id: "test-v1",
  topics: ["appointment.v1"],
  order: "ordered",
  handle: async (_, events) => {
    seen.push(...events.map((event) => event.aggregateId));
    return events.map(() => done);
  },
};
const event = (occurredAt: string) => ({ aggregateId: newUuid(), occurredAt }) as ConsumerEvent;

describe("the demo's faults", () => {
  it("meet about one seeded appointment in forty, the same one every time, and the handler never sees it", async () => {
    const faulty = withDemoFaults(consumer, "2026-06-01T00:00:00.000Z");
    const seeded = Array.from({ length: 2_000 }, () => event("2026-05-01T00:00:00.000000Z"));
    const outcomes = await faulty.handle({} as Tx, seeded);
    const kinds = (kind: string) => outcomes.filter((outcome) => outcome.kind === kind).length;
    expect(kinds("quarantine")).toBeGreaterThan(5);
    expect(kinds("retryLater")).toBeGreaterThan(5);
    expect(kinds("quarantine") + kinds("retryLater")).toBeLessThan(120);
    expect(seen).toHaveLength(kinds("done"));
    expect((await faulty.handle({} as Tx, seeded)).map((outcome) => outcome.kind)).toEqual(outcomes.map((outcome) => outcome.kind));
  });

  it("never meet what a visitor books while the demo runs", async () => {
    const booked = Array.from({ length: 500 }, () => event("2026-06-01T00:00:01.000000Z"));
    const outcomes = await withDemoFaults(consumer, "2026-06-01T00:00:00.000Z").handle({} as Tx, booked);
    expect(outcomes.every((outcome) => outcome.kind === "done")).toBe(true);
  });

  it("are off outside the demo", () => {
    expect(registeredConsumers({ DEMO: false, DEMO_FAULTS: true })).toBe(logicalConsumers);
    expect(registeredConsumers({ DEMO: true, DEMO_FAULTS: false })).toBe(logicalConsumers);
    expect(registeredConsumers({ DEMO: true, DEMO_FAULTS: true })[0]?.handle).not.toBe(logicalConsumers[0]?.handle);
  });
});
