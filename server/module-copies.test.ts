import { expect, test, vi } from "vitest";
import { AppError } from "./app-error";
import { LogError } from "./domain/event-log/port";

// a bundler makes a copy of a module for each of its graphs, and rate limits and event log are kept for the whole process: they throw one copy's errors
// to the other's callers. A throttled sign-in was once told as a fault of ours because of it
test("an error is known by whoever catches it, also when another copy of its module made it", async () => {
  vi.resetModules();
  const others = { ...(await import("./app-error")), ...(await import("./domain/event-log/port")) };
  expect(others.AppError).not.toBe(AppError);
  expect(others.LogError).not.toBe(LogError);

  const [refusal, outage] = [new others.AppError("rate-limited"), new others.LogError("UNAVAILABLE", "away")];
  expect(refusal).toBeInstanceOf(AppError);
  expect(outage).toBeInstanceOf(LogError);
  expect(refusal).not.toBeInstanceOf(LogError);
  expect(outage).not.toBeInstanceOf(AppError);
  expect(new Error("another")).not.toBeInstanceOf(AppError);
});
