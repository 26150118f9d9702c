// Cases from the histories of other booking systems, on the pure function. Each is named by its id and by what went wrong there.
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { addDays, dayBounds, localSpan, resolveLocal } from "./local-time";
import { placementFor } from "./placement-for";
import { slotsWithin } from "./slots-within";
import type { Wish } from "./subject";
import { claimFact, deviceFact, doctorFact, everyDayAt, factsWith, longAgo, needFact, periodFact, treatmentFact } from "./testing-facts";
import type { ClinicFacts, Slot } from "./types";

const zone = "Europe/Berlin";
const day = "2027-02-09";
const slotsOn = (facts: ClinicFacts, date: string, wish: Partial<Wish> & { treatmentId: string }): Slot[] =>
  slotsWithin(facts, { now: longAgo, ...wish }, dayBounds(facts.clinic.zone, date));
const timesOn = (facts: ClinicFacts, date: string, wish: Partial<Wish> & { treatmentId: string }) =>
  slotsOn(facts, date, wish).map(({ localStart }) => localStart.slice(11));
const placeAt = (facts: ClinicFacts, local: string, wish: Partial<Wish> & { treatmentId: string }) => {
  const at = resolveLocal(facts.clinic.zone, local);
  if (!at.ok) throw new Error(at.code);
  return placementFor(facts, { now: longAgo, ...wish, startsAt: at.at });
};
const codesAt = (facts: ClinicFacts, local: string, wish: Partial<Wish> & { treatmentId: string }) => {
  const result = placeAt(facts, local, wish);
  return result.ok ? [] : result.blockers.map(({ code }) => code);
};

describe("time zones and clock changes", () => {
  it("H-E1: on the spring day, hours that begin at 13:00 or later are not offered one hour late", () => {
    const hours = everyDayAt(["13:00", "18:00"]);
    const facts = factsWith({
      clinic: { zone: "America/New_York", gridMinutes: 60 },
      hours,
      doctors: [doctorFact("D3", { shifts: hours })],
    });
    const first = (date: string) => slotsOn(facts, date, { treatmentId: "V60" })[0]?.startsAt;
    for (const date of ["2027-03-13", "2027-03-14", "2027-03-15"]) {
      const times = timesOn(facts, date, { treatmentId: "V60" });
      expect([times.at(0), times.at(-1), times.length]).toEqual(["13:00", "17:00", 5]);
    }
    expect([first("2027-03-13"), first("2027-03-14")]).toEqual(["2027-03-13T18:00:00Z", "2027-03-14T17:00:00Z"]);
    expect(codesAt(facts, "2027-03-14T18:00", { treatmentId: "V60" })).toContain("OUTSIDE_HOURS");
  });

  it("H-E2: on the 25-hour day the repeated hour is offered twice, told apart by its offset", () => {
    const hours = everyDayAt(["00:00", "06:00"]);
    const facts = factsWith({
      clinic: { zone: "America/New_York", gridMinutes: 60 },
      hours,
      doctors: [doctorFact("D3", { shifts: hours })],
    });
    const slots = slotsOn(facts, "2026-11-01", { treatmentId: "V60" });
    expect(slots.map(({ startsAt }) => startsAt.slice(11, 13))).toEqual(["04", "05", "06", "07", "08", "09", "10"]);
    expect(slots.filter(({ repeated }) => repeated).map(({ localStart, utcOffset }) => [localStart, utcOffset])).toEqual([
      ["2026-11-01T01:00", "-04:00"],
      ["2026-11-01T01:00", "-05:00"],
    ]);
    const first = placementFor(facts, { treatmentId: "V60", startsAt: "2026-11-01T05:00:00Z", now: longAgo });
    if (!first.ok) throw new Error("free");
    const [held] = first.placement.claims;
    const claims = [
      {
        resourceId: held?.resourceId as string,
        from: Date.parse(held?.fromIso as string),
        until: Date.parse(held?.untilIso as string),
        seats: null,
        overridden: false,
        appointmentId: "a",
        appointmentRef: "APT-000001",
      },
    ];
    expect(placementFor({ ...facts, claims }, { treatmentId: "V60", startsAt: "2026-11-01T05:00:00Z", now: longAgo }).ok).toBe(false);
    const second = placementFor({ ...facts, claims }, { treatmentId: "V60", startsAt: "2026-11-01T06:00:00Z", now: longAgo });
    expect(second).toMatchObject({ ok: true, placement: { localStart: "2026-11-01T01:00", utcOffsetSeconds: -18_000 } });
  });

  it("H-E2: the hour that the spring change leaves out is not offered, also where it is half an hour", () => {
    const hours = everyDayAt(["00:00", "06:00"]);
    const night = (place: string) =>
      factsWith({ clinic: { zone: place, gridMinutes: 30 }, hours, doctors: [doctorFact("D1", { shifts: hours })] });
    const newYork = timesOn(night("America/New_York"), "2027-03-14", { treatmentId: "V30" });
    expect([
      newYork.length,
      newYork.includes("01:30"),
      newYork.includes("02:00"),
      newYork.includes("02:30"),
      newYork.includes("03:00"),
    ]).toEqual([10, true, false, false, true]);
    const lordHowe = timesOn(night("Australia/Lord_Howe"), "2027-10-03", { treatmentId: "V30" });
    expect([lordHowe.length, lordHowe.includes("01:30"), lordHowe.includes("02:00"), lordHowe.includes("02:30")]).toEqual([
      11,
      true,
      false,
      true,
    ]);
    const back = slotsOn(night("Australia/Lord_Howe"), "2027-04-04", { treatmentId: "V30" });
    expect(back.filter(({ repeated }) => repeated).map(({ localStart, utcOffset }) => `${localStart.slice(11)} ${utcOffset}`)).toEqual([
      "01:30 +11:00",
      "01:30 +10:30",
    ]);
  });

  it("H-E4: in zones with a half-hour offset hourly visits do not start at :30", () => {
    const hours = everyDayAt(["09:00", "12:00"]);
    const clinic = (place: string) =>
      factsWith({ clinic: { zone: place, gridMinutes: 60 }, hours, doctors: [doctorFact("D1", { shifts: hours })] });
    const kathmandu = slotsOn(clinic("Asia/Kathmandu"), day, { treatmentId: "V60" });
    expect(kathmandu.map(({ localStart }) => localStart.slice(11))).toEqual(["09:00", "10:00", "11:00"]);
    expect(kathmandu[0]?.startsAt).toBe("2027-02-09T03:15:00Z");
    const lordHowe = (date: string) => slotsOn(clinic("Australia/Lord_Howe"), date, { treatmentId: "V60" })[0]?.startsAt;
    expect([lordHowe("2027-06-15"), lordHowe(day)]).toEqual(["2027-06-14T22:30:00Z", "2027-02-08T22:00:00Z"]);
  });

  it("H-E5: the rest of the clinic's day is not past because the reader's date is already tomorrow", () => {
    const facts = factsWith({ clinic: { zone: "America/New_York" } });
    const times = timesOn(facts, day, { treatmentId: "V30", now: Temporal.Instant.from("2027-02-09T20:00:00Z") });
    expect(times).toEqual(["15:00", "15:15", "15:30", "15:45", "16:00", "16:15", "16:30"]);
    const past = placementFor(facts, {
      treatmentId: "V30",
      startsAt: "2027-02-09T19:45:00Z",
      now: Temporal.Instant.from("2027-02-09T20:00:00Z"),
    });
    expect(!past.ok && past.blockers.map(({ code }) => code)).toEqual(["IN_THE_PAST"]);
  });

  it("H-E11: an absence that ends on a date covers that date in the clinic, and nothing of the next", () => {
    const hours = everyDayAt(["00:00", "01:00"], ["16:00", "17:00"]);
    const absence = { ...periodFact(zone, "2027-11-01T00:00", "2027-11-07T00:00"), doctorId: "D1" };
    const facts = factsWith({ hours, doctors: [doctorFact("D1", { shifts: hours })], absences: [absence] });
    expect(codesAt(facts, "2027-11-06T16:30", { treatmentId: "V30" })).toEqual(["DOCTOR_ABSENT"]);
    expect(codesAt(facts, "2027-11-07T00:30", { treatmentId: "V30" })).toEqual([]);
  });
});

describe("overlaps, buffers, breaks, closures", () => {
  it("H-F1: a start in the previous visit's after-buffer is not offered", () => {
    const facts = factsWith({
      treatments: [treatmentFact("V15", 15)],
      claims: [claimFact(zone, "r-D1", `${day}T09:00`, `${day}T09:45`)], // 15 min and 30 min after
    });
    const window = localSpan(zone, `${day}T09:30`, `${day}T12:00`);
    expect(slotsWithin(facts, { treatmentId: "V15", now: longAgo }, window)[0]?.localStart).toBe(`${day}T09:45`);
    expect(codesAt(facts, `${day}T09:30`, { treatmentId: "V15" })).toEqual(["DOCTOR_TAKEN"]);
  });

  it("H-F1: the buffer of the new visit counts as well", () => {
    const treatments = [treatmentFact("B", 15, { bufferAfterMinutes: 30 })];
    const facts = factsWith({ treatments, claims: [claimFact(zone, "r-D1", `${day}T10:00`, `${day}T10:15`)] });
    const times = timesOn(facts, day, { treatmentId: "B" });
    expect(times.slice(0, 3)).toEqual(["09:00", "09:15", "10:15"]);
    expect(times.at(-1)).toBe("16:45"); // the buffer may lie outside of the hours
  });

  it("H-F2: a longer visit is not offered over a shorter one that lies inside it", () => {
    const at14 = (from: string, until: string) =>
      codesAt(factsWith({ claims: [claimFact(zone, "r-D1", `${day}T${from}`, `${day}T${until}`)] }), `${day}T14:00`, {
        treatmentId: "V60",
      });
    expect([at14("14:00", "14:30"), at14("14:20", "14:40"), at14("13:30", "14:01"), at14("15:00", "15:30")]).toEqual([
      ["DOCTOR_TAKEN"],
      ["DOCTOR_TAKEN"],
      ["DOCTOR_TAKEN"],
      [],
    ]);
  });

  it("H-F3: a closure of several days leaves the free part of its first and last week", () => {
    const hours = everyDayAt(["00:00", "00:00"]);
    const facts = factsWith({
      clinic: { gridMinutes: 30 },
      hours,
      doctors: [doctorFact("D1", { shifts: hours })],
      closures: [periodFact(zone, "2027-04-01T00:30", "2027-04-12T23:30")],
    });
    const counts = ["2027-03-31", "2027-04-01", "2027-04-02", "2027-04-12", "2027-04-13"].map(
      (date) => timesOn(facts, date, { treatmentId: "V30" }).length,
    );
    expect(counts).toEqual([48, 1, 0, 1, 48]);
  });

  it("H-F4: equal times overlap, and times that touch do not", () => {
    const clash = (from: string, until: string) => {
      const minutes =
        (localSpan(zone, `${day}T${from}`, `${day}T${until}`).until - localSpan(zone, `${day}T${from}`, `${day}T${until}`).from) / 60_000;
      const facts = factsWith({
        clinic: { gridMinutes: 1 }, // the grid is not what this is about
        hours: everyDayAt(["09:00", "17:00"]),
        doctors: [doctorFact("D1", { shifts: everyDayAt(["09:00", "17:00"]) })],
        treatments: [treatmentFact("T", minutes)],
        claims: [claimFact(zone, "r-D1", `${day}T10:00`, `${day}T10:30`)],
      });
      return codesAt(facts, `${day}T${from}`, { treatmentId: "T" }).length > 0;
    };
    expect([
      clash("10:00", "10:30"),
      clash("10:29", "10:31"),
      clash("09:45", "10:00"),
      clash("10:30", "11:00"),
      clash("09:00", "12:00"),
    ]).toEqual([true, true, false, false, true]);
  });

  it("H-F5: a day that is closed all day offers nothing and refuses", () => {
    const facts = factsWith({ closures: [periodFact(zone, "2027-05-06T00:00", "2027-05-07T00:00", "Holiday")] });
    expect(timesOn(facts, "2027-05-06", { treatmentId: "V30" })).toEqual([]);
    expect(codesAt(facts, "2027-05-06T10:00", { treatmentId: "V30" })).toEqual(["CLOSED"]);
    expect(timesOn(facts, "2027-05-07", { treatmentId: "V30" })[0]).toBe("09:00");
  });

  it("H-F6: hours that start at 09:30 are not forced to whole hours", () => {
    const hours = everyDayAt(["09:30", "12:30"], ["14:00", "17:00"]);
    const facts = factsWith({ clinic: { gridMinutes: 60 }, hours, doctors: [doctorFact("D2", { shifts: hours })] });
    expect(timesOn(facts, day, { treatmentId: "V60" })).toEqual(["09:30", "10:30", "11:30", "14:00", "15:00", "16:00"]);
  });

  it("H-F7: a time whose visit moved away is free again, and a visit never blocks its own move", () => {
    const held = claimFact(zone, "r-D1", `${day}T10:00`, `${day}T11:00`, { appointmentId: "A1" });
    const facts = factsWith({ claims: [held] });
    expect(codesAt(facts, `${day}T10:30`, { treatmentId: "V60" })).toEqual(["DOCTOR_TAKEN"]);
    expect(codesAt(facts, `${day}T10:30`, { treatmentId: "V60", ignoreAppointmentId: "A1" })).toEqual([]);
    const moved = factsWith({ claims: [{ ...held, ...localSpan(zone, `${day}T11:00`, `${day}T12:00`) }] });
    expect(timesOn(moved, day, { treatmentId: "V60" })).toContain("10:00");
    expect(codesAt(moved, `${day}T10:00`, { treatmentId: "V60" })).toEqual([]);
  });
});

describe("capacity, equipment and the choice of a doctor", () => {
  it("H-G1: near closing time in a western zone the last slots do not vanish", () => {
    const hours = everyDayAt(["09:00", "22:00"]);
    const facts = factsWith({
      clinic: { zone: "America/New_York", resource: { id: "r-clinic", seats: 4 } },
      hours,
      doctors: [doctorFact("D3", { shifts: hours })],
    });
    expect(timesOn(facts, day, { treatmentId: "V15", now: Temporal.Instant.from("2027-02-10T02:05:00Z") })).toEqual([
      "21:15",
      "21:30",
      "21:45",
    ]);
  });

  it("H-G2: the seats of a group are not used up by people of another service at that hour", () => {
    const group = treatmentFact("G", 60, { seats: 10, needs: [needFact(["CH"])] });
    const other = treatmentFact("H", 60, { needs: [needFact(["OWN"])] });
    const base = {
      doctors: [doctorFact("D1"), doctorFact("D2", { seats: 3 })],
      equipment: [deviceFact("CH", { quantity: 10 }), deviceFact("OWN", { quantity: 3 })],
      treatments: [group, other],
    };
    const visits = (count: number, doctor: string, room: string, seats: number | null) =>
      Array.from({ length: count }, (_, i) => [
        claimFact(zone, `r-${doctor}`, `${day}T10:00`, `${day}T11:00`, { seats, appointmentId: `${doctor}${i}` }),
        claimFact(zone, `r-${room}`, `${day}T10:00`, `${day}T11:00`, { appointmentId: `${doctor}${i}` }),
      ]).flat();
    const others = visits(3, "D2", "OWN", null);
    const at10 = (count: number) =>
      codesAt(factsWith({ ...base, claims: [...visits(count, "D1", "CH", 10), ...others] }), `${day}T10:00`, {
        treatmentId: "G",
        doctorId: "D1",
      });
    expect([at10(7), at10(9), at10(10)]).toEqual([[], [], [...Array(10).fill("EQUIPMENT_TAKEN"), ...Array(10).fill("DOCTOR_TAKEN")]]);
  });

  it("a group of ten with a doctor of one: while it sits, a single visit is refused", () => {
    const held = claimFact(zone, "r-D1", `${day}T10:00`, `${day}T11:00`, { seats: 10 });
    expect(codesAt(factsWith({ claims: [held] }), `${day}T10:30`, { treatmentId: "V30" })).toEqual(["DOCTOR_TAKEN"]);
  });

  it("H-G3: a changed time checks the device again, and names it and who has it", () => {
    const facts = factsWith({
      doctors: [doctorFact("D1"), doctorFact("D2")],
      equipment: [deviceFact("U1")],
      treatments: [treatmentFact("U", 60, { needs: [needFact(["U1"])] })],
      claims: [
        claimFact(zone, "r-D1", `${day}T10:00`, `${day}T11:00`, { appointmentId: "A1", appointmentRef: "APT-A1" }),
        claimFact(zone, "r-U1", `${day}T10:00`, `${day}T11:00`, { appointmentId: "A1", appointmentRef: "APT-A1" }),
        claimFact(zone, "r-D2", `${day}T14:00`, `${day}T15:00`, { appointmentId: "A2" }),
        claimFact(zone, "r-U1", `${day}T14:00`, `${day}T15:00`, { appointmentId: "A2" }),
      ],
    });
    const move = placeAt(facts, `${day}T10:30`, { treatmentId: "U", doctorId: "D2", ignoreAppointmentId: "A2" });
    expect(!move.ok && move.blockers.map(({ code, subject, appointmentRef }) => [code, subject.ref, appointmentRef])).toEqual([
      ["EQUIPMENT_TAKEN", "U1", "APT-A1"],
    ]);
    expect(placeAt(facts, `${day}T14:30`, { treatmentId: "U", doctorId: "D2", ignoreAppointmentId: "A2" }).ok).toBe(true);
  });

  it("H-K1: any doctor is never one who is absent, and when the others are full it is nobody", () => {
    const absence = { ...periodFact(zone, `${day}T00:00`, `${addDays(day, 1)}T00:00`), doctorId: "D2" };
    const facts = factsWith({ doctors: [doctorFact("D1"), doctorFact("D2")], absences: [absence] });
    for (const time of ["09:00", "10:00", "11:00", "13:00", "16:00"])
      expect(placeAt(facts, `${day}T${time}`, { treatmentId: "V60" })).toMatchObject({ ok: true, placement: { doctorId: "D1" } });
    const full = { ...facts, claims: [claimFact(zone, "r-D1", `${day}T09:00`, `${day}T17:00`)] };
    expect(codesAt(full, `${day}T10:00`, { treatmentId: "V60" })).toEqual(["DOCTOR_TAKEN", "DOCTOR_ABSENT"]);
  });

  it("H-K2: a mandatory device that is out all day is not 'no constraint'", () => {
    const outage = { ...periodFact(zone, `${day}T00:00`, `${addDays(day, 1)}T00:00`, "Maintenance"), resourceId: "r-U1", units: 1 };
    const facts = factsWith({
      doctors: [doctorFact("D1"), doctorFact("D2")],
      equipment: [deviceFact("U1")],
      treatments: [treatmentFact("U", 60, { needs: [needFact(["U1"])] })],
      outages: [outage],
    });
    expect(timesOn(facts, day, { treatmentId: "U" })).toEqual([]);
    expect(codesAt(facts, `${day}T10:00`, { treatmentId: "U" })).toEqual(["EQUIPMENT_OUT"]);
    expect(timesOn(facts, addDays(day, 1), { treatmentId: "U" })).not.toEqual([]);
    const none = { ...facts, treatments: [treatmentFact("U", 60, { needs: [needFact([])] })] };
    expect([timesOn(none, day, { treatmentId: "U" }), codesAt(none, `${day}T10:00`, { treatmentId: "U" })]).toEqual([[], ["NO_EQUIPMENT"]]);
  });

  it("H-O4: the same time is listed once when two people are free", () => {
    const facts = factsWith({ doctors: [doctorFact("D1"), doctorFact("D2")] });
    const taken = (...doctors: string[]) => ({
      ...facts,
      claims: doctors.map((one) => claimFact(zone, `r-${one}`, `${day}T10:00`, `${day}T11:00`)),
    });
    const at10 = (one: ClinicFacts) => slotsOn(one, day, { treatmentId: "V60" }).filter(({ localStart }) => localStart.endsWith("T10:00"));
    expect([at10(taken()), at10(taken("D1")), at10(taken("D1", "D2"))].map((slots) => slots.map(({ doctorIds }) => doctorIds))).toEqual([
      [["D1", "D2"]],
      [["D2"]],
      [],
    ]);
  });
});
