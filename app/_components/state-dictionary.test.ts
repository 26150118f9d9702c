import { describe, expect, it } from "vitest";
import {
  appointmentStates,
  auditResults,
  deliveryStates,
  notificationStates,
  outboxStates,
  planningStates,
} from "@/app/_components/state-dictionary";

describe("state dictionary", () => {
  it.each(Object.entries({ deliveryStates, outboxStates, notificationStates, appointmentStates, planningStates, auditResults }))(
    "in %s no two states look and read the same",
    (_name, states) => {
      const looks = Object.values(states).map((entry) => entry.label);
      expect(new Set(looks).size).toBe(looks.length);
    },
  );

  it("refused duplicates are quiet and only what stops is in the hold family", () => {
    expect(deliveryStates.DUPLICATE.family).toBe("reuse");
    expect(
      Object.entries(deliveryStates)
        .filter(([, entry]) => entry.family === "hold")
        .map(([state]) => state),
    ).toEqual(["QUARANTINED"]);
  });

  it("a stale refusal never offers a retry", () => {
    expect(auditResults.STALE_REJECTED.next).not.toMatch(/retry/i);
    expect(planningStates.STALE_REJECTED.next).toBe("next.discardAndRecalculate");
  });
});
