import { describe, it } from "vitest";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import { contractCases } from "./contract";

describe("the log in memory, which tests of the rules use, keeps the contract", () => {
  it.each(contractCases)("$name", ({ run }) => run(new MemoryLog()));
});
