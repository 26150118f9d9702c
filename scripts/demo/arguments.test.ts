import { describe, expect, test } from "vitest";
import { demoArguments } from "@/scripts/demo/arguments";

describe("the demo's arguments", () => {
  test("have defaults", () => {
    expect(demoArguments([])).toEqual({ port: 3000, log: "postgres", reset: false, smoke: false, help: false });
  });
  test("are read", () => {
    expect(demoArguments(["--port", "4000", "--log", "kafka", "--reset", "--data", "/tmp/x"])).toMatchObject({
      port: 4000,
      log: "kafka",
      reset: true,
      data: "/tmp/x",
    });
  });
  test.each([[["--port", "x"]], [["--port", "70000"]], [["--log", "paper"]], [["--unknown"]], [["extra"]]])(
    "%j are refused by name",
    (words) => {
      expect(() => demoArguments(words)).toThrow(/--port|--log|--unknown|extra/);
    },
  );
  test("that nobody knows are answered with those that there are", () => {
    expect(() => demoArguments(["--prot", "4000"])).toThrow(/'--prot'[\s\S]*--port N /);
  });
});
