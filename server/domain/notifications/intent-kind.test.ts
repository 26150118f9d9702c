import { describe, expect, it } from "vitest";
import { intentKindFor } from "./intent-kind";

const kind = (change: string, fromStatus: string | null, toStatus: string, source = "DESK") =>
  intentKindFor({ change, fromStatus, toStatus, source });

describe("what a patient is told of a change", () => {
  it("a booking of the desk is booked, one that waits for an answer is requested, one that an API token may confirm is booked", () => {
    expect(kind("CREATED", null, "CONFIRMED")).toBe("BOOKED");
    expect(kind("CREATED", null, "REQUESTED", "API")).toBe("REQUESTED");
    expect(kind("CREATED", null, "CONFIRMED", "API")).toBe("BOOKED");
  });

  it("an answer to a request, a move and a cancellation are told", () => {
    expect(kind("STATUS_CHANGED", "REQUESTED", "CONFIRMED")).toBe("CONFIRMED");
    expect(kind("RESCHEDULED", "CONFIRMED", "CONFIRMED")).toBe("MOVED");
    expect(kind("RESCHEDULED", "PENDING_RESCHEDULE", "CONFIRMED")).toBe("MOVED");
    expect(kind("CANCELLED", "REQUESTED", "CANCELLED")).toBe("CANCELLED");
  });

  it("what happens at the desk, an undo and an import tell nobody", () => {
    expect(kind("STATUS_CHANGED", "CONFIRMED", "CHECKED_IN")).toBeNull();
    expect(kind("STATUS_CHANGED", "CHECKED_IN", "CONFIRMED")).toBeNull();
    expect(kind("STATUS_CHANGED", "IN_PROGRESS", "COMPLETED")).toBeNull();
    expect(kind("STATUS_CHANGED", "CONFIRMED", "NO_SHOW")).toBeNull();
    expect(kind("STATUS_CHANGED", "CONFIRMED", "PENDING_RESCHEDULE")).toBeNull();
    expect(kind("CREATED", null, "CONFIRMED", "IMPORT")).toBeNull();
  });
});
