import { describe, expect, it } from "vitest";
import type { Blocker } from "@/server/domain/clinics/types";
import { groupBlockers } from "./group-blockers";

const blocker = (code: Blocker["code"], ref: string, appointmentRef: string | null, from = "2027-02-09T09:00:00Z"): Blocker => ({
  code,
  subject: { kind: "DOCTOR", ref, name: null },
  label: null,
  from,
  until: "2027-02-09T09:30:00Z",
  appointmentRef,
});

describe("blockers of a wished time", () => {
  it("a visit that holds a doctor and a room is one line that names both", () => {
    const groups = groupBlockers([blocker("DOCTOR_TAKEN", "D-03", "APT-1"), blocker("EQUIPMENT_TAKEN", "RM-2", "APT-1")]);
    expect(groups.map(({ subjects }) => subjects)).toEqual([["D-03", "RM-2"]]);
  });

  it("two visits of one doctor, and two reasons of one doctor, stay apart", () => {
    const groups = groupBlockers([
      blocker("DOCTOR_TAKEN", "D-01", "APT-1"),
      blocker("DOCTOR_TAKEN", "D-01", "APT-2"),
      blocker("BREAK", "D-01", null),
      blocker("OUTSIDE_SHIFT", "D-01", null),
    ]);
    expect(groups).toHaveLength(4);
  });
});
