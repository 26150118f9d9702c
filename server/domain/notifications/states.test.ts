import { describe, expect, it } from "vitest";
import { createCircuit } from "./circuit";
import { retryDelayMs, suppressReason } from "./states";

describe("the wait before the next attempt", () => {
  it("doubles from 5 s to 15 min, full jitter", () => {
    expect([1, 2, 3, 8, 9, 60].map((attempt) => retryDelayMs(attempt, () => 1))).toEqual([
      5_000, 10_000, 20_000, 640_000, 900_000, 900_000,
    ]);
    expect(retryDelayMs(5, () => 0)).toBe(0);
    expect(retryDelayMs(5, () => 0.5)).toBe(40_000);
  });
});

describe("whether a message is still true", () => {
  const now = (status: string, over = {}) => ({ status, hasBegun: false, hasLaterIntent: false, ...over });
  it("a message goes out while the visit is what it says", () => {
    expect(suppressReason("BOOKED", now("CONFIRMED"))).toBeNull();
    expect(suppressReason("CONFIRMED", now("CONFIRMED"))).toBeNull();
    expect(suppressReason("REQUESTED", now("REQUESTED"))).toBeNull();
    expect(suppressReason("MOVED", now("REQUESTED"))).toBeNull();
    expect(suppressReason("CANCELLED", now("CANCELLED"))).toBeNull();
    expect(suppressReason("REMINDER", now("CONFIRMED"))).toBeNull();
  });

  it("and not afterwards", () => {
    expect(suppressReason("BOOKED", now("CANCELLED"))).toBe("VISIT_CANCELLED");
    expect(suppressReason("BOOKED", now("CANCELLED", { hasLaterIntent: true }))).toBe("VISIT_CANCELLED");
    expect(suppressReason("REQUESTED", now("CONFIRMED", { hasLaterIntent: true }))).toBe("SUPERSEDED");
    expect(suppressReason("REMINDER", now("CONFIRMED", { hasBegun: true }))).toBe("VISIT_STARTED");
    expect(suppressReason("REMINDER", now("IN_PROGRESS"))).toBe("VISIT_STARTED");
    expect(suppressReason("REMINDER", now("REQUESTED"))).toBe("NOT_CONFIRMED");
    expect(suppressReason("CANCELLED", now("CANCELLED", { hasBegun: true }))).toBe("VISIT_STARTED");
    expect(suppressReason("CANCELLED", now("CONFIRMED"))).toBe("NOT_CANCELLED");
  });
});

describe("the circuit of a provider", () => {
  const at = () => {
    let ms = 0;
    const circuit = createCircuit({ monotonicMs: () => ms }, () => 1);
    return { circuit, pass: (by: number) => (ms += by) };
  };

  it("opens at the third outage in a row, and not when an answer lies between", () => {
    const { circuit } = at();
    circuit.outage();
    circuit.outage();
    circuit.answered();
    circuit.outage();
    circuit.outage();
    expect(circuit.state()).toBe("CLOSED");
    circuit.outage();
    expect(circuit.state()).toBe("OPEN");
    expect(circuit.allowance(50)).toBe(0);
  });

  it("lets one message probe, stays away longer each time it fails, and at most a minute", () => {
    const { circuit, pass } = at();
    for (let n = 0; n < 5; n++) circuit.outage(); // five calls were under way: one opening
    for (const waitMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      pass(waitMs - 1);
      expect(circuit.state()).toBe("OPEN");
      pass(1);
      expect(circuit.state()).toBe("HALF_OPEN");
      expect(circuit.allowance(50)).toBe(1);
      circuit.outage();
    }
    pass(60_000);
    circuit.answered();
    expect(circuit.state()).toBe("CLOSED");
  });
});
