import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { appointmentStates } from "@/db/schema/appointments";
import { type Actor, type PersonActor, type TokenActor, tokenCommands } from "@/server/domain/scope/actor";
import { type ActionRow, nextActions } from "./next-actions";
import { type AppointmentState, appointmentActions, holdsClaims, moves, reschedulable } from "./states";

const clinicId = "01900000-0000-7000-8000-0000000000c1";
const elsewhere = "01900000-0000-7000-8000-0000000000c2";
const start = Temporal.Instant.from("2027-02-09T09:00:00Z"); // 10:00 in Berlin
const row = (status: AppointmentState, over: Partial<ActionRow> = {}): ActionRow => ({
  clinicId,
  status,
  startsAt: start,
  endsAt: start.add({ minutes: 30 }),
  localDate: "2027-02-09",
  changedAt: start,
  zone: "Europe/Berlin",
  ...over,
});
const desk = (inClinic: string | null = clinicId, role: PersonActor["roles"][number]["role"] = "FRONT_DESK"): Actor => ({
  kind: "person",
  tenantGroupId: clinicId,
  clinicIds: [clinicId],
  userId: clinicId,
  ref: "ST-000001",
  roles: [{ role, clinicId: inClinic }],
});
const token = (...commands: TokenActor["commands"]): Actor => ({
  kind: "token",
  tenantGroupId: clinicId,
  clinicIds: [clinicId],
  clientId: clinicId,
  tokenId: clinicId,
  ref: "AC-000001",
  commands,
});
const allowed = (status: AppointmentState, actor = desk(), now = start, over: Partial<ActionRow> = {}) => {
  const actions = nextActions(row(status, over), actor, now);
  return appointmentActions.filter((action) => actions[action].allowed);
};
const why = (
  status: AppointmentState,
  action: keyof ReturnType<typeof nextActions>,
  now: Temporal.Instant,
  over: Partial<ActionRow> = {},
) => {
  const decision = nextActions(row(status, over), desk(), now)[action];
  return decision.allowed ? decision.to : decision.why;
};

describe("the moves of a visit", () => {
  it.each<[AppointmentState, string[]]>([
    ["REQUESTED", ["confirm", "release", "reschedule", "cancel"]],
    ["CONFIRMED", ["check-in", "no-show", "release", "reschedule", "cancel"]],
    ["PENDING_RESCHEDULE", ["reschedule", "cancel"]],
    ["CHECKED_IN", ["start", "cancel", "undo"]],
    ["IN_PROGRESS", ["complete", "undo"]],
    ["COMPLETED", ["undo"]],
    ["NO_SHOW", ["undo"]],
    ["CANCELLED", []],
  ])("%s: %j, at its time, by the desk", (status, expected) => {
    expect(allowed(status)).toEqual(expected);
  });

  it("lead nowhere but to a state that exists, never to itself, and nowhere from CANCELLED", () => {
    for (const from of appointmentStates) {
      for (const to of Object.keys(moves[from])) expect(appointmentStates.filter((state) => state !== from)).toContain(to);
      // one action leads to one state, else a button would not know where it goes
      expect(new Set(Object.values(moves[from])).size).toBe(Object.keys(moves[from]).length);
    }
    expect(moves.CANCELLED).toEqual({});
    expect(reschedulable.CANCELLED).toBeNull();
  });

  it("the states that hold their place are those that the trigger and the schema count", () => {
    expect(appointmentStates.filter((state) => holdsClaims[state])).toEqual(["REQUESTED", "CONFIRMED", "CHECKED_IN", "IN_PROGRESS"]);
  });
});

describe("when", () => {
  const hours = (count: number) => start.add({ hours: count });
  it("nobody checks in on another day of the clinic's calendar", () => {
    expect(why("CONFIRMED", "check-in", hours(-9))).toBe("CHECKED_IN"); // 01:00 of the day in Berlin
    expect(why("CONFIRMED", "check-in", hours(-11))).toBe("NOT_ITS_DAY"); // 23:00 of the day before, the same day in New York
    expect(why("CONFIRMED", "check-in", hours(15))).toBe("NOT_ITS_DAY");
  });

  it("nobody has failed to come before the visit begins", () => {
    expect(why("CONFIRMED", "no-show", start.subtract({ nanoseconds: 1 }))).toBe("NOT_STARTED");
    expect(why("CONFIRMED", "no-show", start)).toBe("NO_SHOW");
  });

  it("a night visit may be started after midnight, while it lasts", () => {
    const night = { startsAt: Temporal.Instant.from("2027-02-09T22:00:00Z"), endsAt: Temporal.Instant.from("2027-02-10T00:00:00Z") };
    expect(why("CHECKED_IN", "start", Temporal.Instant.from("2027-02-09T23:30:00Z"), night)).toBe("IN_PROGRESS");
    expect(why("CHECKED_IN", "start", Temporal.Instant.from("2027-02-10T00:00:00Z"), night)).toBe("NOT_ITS_DAY");
  });

  it.each<[AppointmentState, string]>([
    ["CHECKED_IN", "CONFIRMED"],
    ["IN_PROGRESS", "CHECKED_IN"],
    ["COMPLETED", "IN_PROGRESS"],
    ["NO_SHOW", "CONFIRMED"],
  ])("a wrong click to %s goes back to %s on the day it was made, no later", (status, to) => {
    expect(why(status, "undo", hours(13))).toBe(to); // 23:00 in Berlin
    expect(why(status, "undo", hours(14))).toBe("ANOTHER_DAY"); // midnight
  });
});

describe("who", () => {
  it("the front desk of the clinic, or of all clinics; no other role and no other clinic", () => {
    expect(allowed("CONFIRMED", desk(null))).toContain("cancel");
    for (const actor of [desk(elsewhere), desk(clinicId, "STAFF"), desk(clinicId, "ADMIN"), desk(null, "APPOINTMENT_REPLAY_OPERATOR")]) {
      expect(allowed("CONFIRMED", actor)).toEqual([]);
      expect(nextActions(row("CONFIRMED"), actor, start).cancel).toEqual({ allowed: false, why: "RIGHT_MISSING" });
    }
  });

  it("a token what it was given; what its state forbids is said first; an undo is the desk's", () => {
    expect(allowed("REQUESTED", token("appointments:confirm"))).toEqual(["confirm"]);
    expect(allowed("CONFIRMED", token("appointments:change-status"))).toEqual(["check-in", "no-show", "release"]);
    expect(allowed("CONFIRMED", token("appointments:cancel", "appointments:reschedule"))).toEqual(["reschedule", "cancel"]);
    expect(allowed("COMPLETED", token(...tokenCommands))).toEqual([]);
    expect(nextActions(row("CANCELLED"), token(), start).cancel).toEqual({ allowed: false, why: "WRONG_STATE" });
  });
});
