import { expect, it } from "vitest";
import { commutativeConsumers } from "@/server/domain/inbox/unfinished-before";
import { logicalConsumers } from "./logical-consumers";

it("a process that runs no consumer knows which of them are ordered as the registry has it", () => {
  expect(logicalConsumers.filter(({ order }) => order === "commutative").map(({ id }) => id)).toEqual([...commutativeConsumers]);
});
