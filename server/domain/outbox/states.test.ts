import { expect, it } from "vitest";
import { outboxStates } from "@/db/schema/outbox";
import { outboxMoves } from "./states";

it("every state has its moves; PUBLISHED and SKIPPED are ends, and FAILED is left by nobody's claim", () => {
  expect(Object.keys(outboxMoves).sort()).toEqual([...outboxStates].sort());
  expect([...outboxMoves.PUBLISHED, ...outboxMoves.SKIPPED]).toEqual([]);
  expect(outboxMoves.FAILED).not.toContain("CLAIMED");
  for (const state of outboxStates) for (const next of outboxMoves[state]) expect(outboxStates).toContain(next);
});
