import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDays, dayBounds, localSpan, toIso } from "./local-time";
import { placementFor } from "./placement-for";
import { slotsWithin } from "./slots-within";
import { claimFact, deviceFact, doctorFact, everyDayAt, factsWith, longAgo, needFact, periodFact, treatmentFact } from "./testing-facts";
import { oracleDoctors } from "./testing-oracle";
import type { ClinicFacts } from "./types";

// Days with a clock change on which all bounds below exist once, and a plain one.
const places = fc.constantFrom(
  ["Europe/Berlin", "2027-02-09"],
  ["Europe/Berlin", "2027-03-28"],
  ["Europe/Berlin", "2027-10-31"],
  ["America/New_York", "2026-11-01"],
  ["America/New_York", "2027-03-14"],
  ["Australia/Lord_Howe", "2027-10-03"],
  ["Australia/Lord_Howe", "2027-04-04"],
  ["Asia/Kathmandu", "2027-02-09"],
) as fc.Arbitrary<[string, string]>;
const intervals = fc.constantFrom(
  ["00:00", "06:00"],
  ["08:00", "18:00"],
  ["08:00", "18:00"],
  ["09:00", "12:00"],
  ["09:30", "17:00"],
  ["13:00", "17:00"],
  ["22:00", "06:00"],
  ["20:00", "00:00"],
);
const hoursOf = fc
  .uniqueArray(intervals as fc.Arbitrary<[string, string]>, { minLength: 1, maxLength: 3 })
  .map((list) => everyDayAt(...list));
const seats = fc.option(fc.integer({ min: 1, max: 3 }), { nil: null });
const cell = (low: number, high: number) => fc.integer({ min: low, max: high });

const dayOfFacts = fc.record({
  place: places,
  grid: fc.constantFrom(15, 20, 30, 60),
  hours: hoursOf,
  doctors: fc.array(fc.record({ seats, own: fc.integer({ min: 1, max: 3 }), type: fc.constantFrom("DOCTOR", "NURSE"), shifts: hoursOf }), {
    minLength: 1,
    maxLength: 3,
  }),
  quantities: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 3, maxLength: 3 }),
  treatment: fc.record({
    cells: cell(3, 12),
    before: cell(0, 4),
    after: cell(0, 6),
    seats,
    type: fc.constantFrom(null, null, "DOCTOR"),
    needs: fc.array(
      fc.record({
        options: fc.uniqueArray(fc.constantFrom("E0", "E1", "E2"), { minLength: 1, maxLength: 2 }),
        offset: cell(0, 2),
        cells: fc.option(cell(1, 4), { nil: null }),
      }),
      { maxLength: 2 },
    ),
  }),
  clinicSeats: seats,
  claims: fc.array(
    fc.record({
      on: fc.constantFrom("D0", "D0", "D1", "D2", "E0", "E1", "E2", "clinic", "P", "P"),
      at: cell(0, 288),
      cells: cell(1, 24),
      seats,
      overridden: fc.constantFrom(false, false, false, true),
      visit: cell(0, 5),
    }),
    { minLength: 4, maxLength: 25 },
  ),
  outages: fc.array(
    fc.record({
      on: fc.constantFrom("E0", "E1", "E2", "D0"),
      at: cell(-24, 300),
      cells: cell(1, 60),
      units: fc.integer({ min: 1, max: 2 }),
    }),
    { maxLength: 3 },
  ),
  closures: fc.array(fc.record({ at: cell(-24, 300), cells: cell(1, 60) }), { maxLength: 1 }),
  absences: fc.array(fc.record({ on: fc.constantFrom("D0", "D1"), at: cell(-24, 300), cells: cell(1, 80) }), { maxLength: 2 }),
  breaks: fc.array(
    fc.record({ on: fc.constantFrom(null, "D0"), interval: fc.constantFrom(["10:00", "10:15"], ["15:00", "15:30"], ["23:30", "00:30"]) }),
    { maxLength: 1 },
  ),
  holiday: fc.constantFrom(false, false, false, false, true),
  patient: fc.boolean(),
  ignore: fc.boolean(),
});
type Day = typeof dayOfFacts extends fc.Arbitrary<infer T> ? T : never;

function toFacts(day: Day): ClinicFacts {
  const [zone, date] = day.place;
  const start = dayBounds(zone, date).from;
  const span = ({ at, cells }: { at: number; cells: number }) => ({ from: start + at * 300_000, until: start + (at + cells) * 300_000 });
  const period = (one: { at: number; cells: number }) => ({
    id: "p",
    localFrom: "",
    localUntil: "",
    reason: "R",
    version: "1",
    ...span(one),
  });
  return factsWith({
    range: { from: start - 3 * 86_400_000, until: start + 4 * 86_400_000 },
    clinic: {
      zone,
      gridMinutes: day.grid,
      defaultDoctorSeats: 2,
      resource: day.clinicSeats === null ? null : { id: "r-clinic", seats: day.clinicSeats },
    },
    hours: day.hours,
    doctors: day.doctors.map((doctor, i) =>
      doctorFact(`D${i}`, { seats: doctor.seats, resourceSeats: doctor.own, providerType: doctor.type, shifts: doctor.shifts }),
    ),
    equipment: day.quantities.map((quantity, i) => deviceFact(`E${i}`, { quantity })),
    treatments: [
      treatmentFact("T", day.treatment.cells * 5, {
        bufferBeforeMinutes: day.treatment.before * 5,
        bufferAfterMinutes: day.treatment.after * 5,
        seats: day.treatment.seats,
        providerType: day.treatment.type,
        needs: day.treatment.needs.map(({ options, offset, cells }, position) =>
          needFact(options, { position, usageOffsetMinutes: offset * 5, usageMinutes: cells && cells * 5 }),
        ),
      }),
    ],
    patient: { id: "P", ref: "PT-000001", resourceId: "r-P" },
    claims: day.claims.map((claim) => ({
      ...span(claim),
      resourceId: `r-${claim.on}`,
      appointmentId: `A${claim.visit}`,
      appointmentRef: `APT-00000${claim.visit}`,
      seats: claim.seats,
      overridden: claim.overridden,
    })),
    outages: day.outages.map((outage) => ({ ...period(outage), resourceId: `r-${outage.on}`, units: outage.units })),
    closures: day.closures.map(period),
    absences: day.absences.map((absence) => ({ ...period(absence), doctorId: absence.on })),
    breaks: day.breaks.map(({ on, interval }) => ({
      id: "b",
      doctorId: on,
      weekday: null,
      from: interval[0] as string,
      until: interval[1] as string,
      version: "1",
      label: "Break",
    })),
    holidays: day.holiday ? [{ date, name: "Holiday" }] : [],
  });
}

describe("one function decides where a visit can be", () => {
  it("P-list: lists exactly the starts that a look at every single cell allows, and places exactly those", () => {
    fc.assert(
      fc.property(dayOfFacts, (day) => {
        const facts = toFacts(day);
        const [zone, date] = day.place;
        const wish = {
          treatmentId: "T",
          patientId: day.patient ? "P" : null,
          ...(day.ignore ? { ignoreAppointmentId: "A0" } : {}),
          now: longAgo,
        };
        const bounds = dayBounds(zone, date);
        const listed = new Map(slotsWithin(facts, wish, bounds).map((slot) => [slot.startsAt, slot]));
        const wrong: string[] = []; // compared by hand: an expect for each of some thousand cells takes longer than the sweep
        for (let at = bounds.from; at < bounds.until; at += 300_000) {
          const doctors = oracleDoctors(facts, { treatmentId: "T", patient: day.patient, ...(day.ignore ? { ignore: "A0" } : {}) }, at);
          const slot = listed.get(toIso(at));
          listed.delete(toIso(at));
          if (doctors.length === 0 && !slot && (at / 300_000) % 4 !== 0) continue; // refusals all day long: one in four is asked for its reasons
          const placed = placementFor(facts, { ...wish, startsAt: at });
          const named = facts.doctors
            .filter(({ id }) => placementFor(facts, { ...wish, doctorId: id, startsAt: at }).ok)
            .map(({ id }) => id);
          const isRight =
            String([...(slot?.doctorIds ?? [])].sort()) === String(doctors) &&
            String(named) === String(doctors) &&
            (placed.ok ? placed.placement.doctorId === slot?.doctorIds[0] : placed.blockers.length > 0 && !slot) &&
            (!slot || slot.freeSeats > 0);
          if (!isRight) wrong.push(`${toIso(at)}: expected ${doctors}, listed ${slot?.doctorIds}, placed ${named}`);
        }
        expect([...wrong, ...listed.keys()]).toEqual([]);
      }),
      { numRuns: 120 },
    );
  }, 60_000);

  it("freeSeats is how many more visits fit, one after the other", () => {
    const room = deviceFact("CH", { kind: "ROOM", quantity: 10 });
    const group = treatmentFact("G", 60, { seats: 10, needs: [needFact(["CH"])] });
    const facts = factsWith({ equipment: [room], treatments: [group] });
    const day = dayBounds("Europe/Berlin", "2027-02-09");
    const held = Array.from({ length: 7 }, (_, i) => [
      claimFact("Europe/Berlin", "r-D1", "2027-02-09T10:00", "2027-02-09T11:00", { seats: 10, appointmentId: `a${i}` }),
      claimFact("Europe/Berlin", "r-CH", "2027-02-09T10:00", "2027-02-09T11:00", { appointmentId: `a${i}` }),
    ]).flat();
    const free = (claims: ClinicFacts["claims"]) =>
      slotsWithin({ ...facts, claims }, { treatmentId: "G", now: longAgo }, day).find(({ localStart }) => localStart.endsWith("T10:00"))
        ?.freeSeats;
    expect([free([]), free(held), free([...held, ...held.slice(0, 6)])]).toEqual([10, 3, undefined]);
  });

  it("refuses a time that the facts were not read for, instead of calling it free", () => {
    const facts = factsWith({ range: localSpan("Europe/Berlin", "2027-02-09T00:00", "2027-02-09T10:00") });
    expect(() => placementFor(facts, { treatmentId: "V60", startsAt: "2027-02-09T08:30:00Z", now: longAgo })).toThrow(RangeError);
  });
});

describe("a placement", () => {
  it("claims the doctor with buffers and seats, each device for its usage time, the clinic and the patient, by resource", () => {
    const facts = factsWith({
      clinic: { resource: { id: "r-clinic", seats: 5 } },
      doctors: [doctorFact("D1", { seats: 2, resourceSeats: 2 })],
      equipment: [deviceFact("E0"), deviceFact("E1")],
      treatments: [
        treatmentFact("T", 60, {
          bufferBeforeMinutes: 10,
          bufferAfterMinutes: 20,
          needs: [needFact(["E0", "E1"], { usageOffsetMinutes: 15, usageMinutes: 30 })],
        }),
      ],
      patient: { id: "P", ref: "PT-000001", resourceId: "r-P" },
      claims: [claimFact("Europe/Berlin", "r-E0", "2027-02-09T10:40", "2027-02-09T11:00")],
    });
    const result = placementFor(facts, { treatmentId: "T", patientId: "P", startsAt: "2027-02-09T09:00:00Z", now: longAgo });
    const claim = (resourceId: string, from: string, until: string) => ({
      resourceId,
      fromIso: `2027-02-09T${from}:00Z`,
      untilIso: `2027-02-09T${until}:00Z`,
      seats: null,
    });
    expect(result).toEqual({
      ok: true,
      placement: {
        doctorId: "D1",
        startsAt: "2027-02-09T09:00:00Z",
        endsAt: "2027-02-09T10:00:00Z",
        localDate: "2027-02-09",
        localStart: "2027-02-09T10:00",
        utcOffsetSeconds: 3600,
        equipment: [{ equipmentId: "E1", during: "[2027-02-09T09:15:00Z,2027-02-09T09:45:00Z)" }],
        claims: [
          claim("r-D1", "08:50", "10:20"),
          claim("r-E1", "09:15", "09:45"),
          claim("r-P", "09:00", "10:00"),
          claim("r-clinic", "09:00", "10:00"),
        ],
      },
    });
  });

  it("a doctor of two clinics brings the limit of this one along", () => {
    const facts = factsWith({ clinic: { defaultDoctorSeats: 2 }, doctors: [doctorFact("D1", { resourceSeats: 1 })] });
    const result = placementFor(facts, { treatmentId: "V30", startsAt: "2027-02-09T09:00:00Z", now: longAgo });
    expect(result.ok && result.placement.claims.map(({ seats: carried }) => carried)).toEqual([2]);
  });

  it("two needs of one visit do not share a device that exists once", () => {
    const needs = [needFact(["E0", "E1"]), needFact(["E0"], { position: 1 })];
    const facts = factsWith({ equipment: [deviceFact("E0"), deviceFact("E1")], treatments: [treatmentFact("T", 30, { needs })] });
    const place = (one: ClinicFacts) => placementFor(one, { treatmentId: "T", startsAt: "2027-02-09T09:00:00Z", now: longAgo });
    const result = place(facts);
    expect(result.ok && result.placement.equipment.map(({ equipmentId }) => equipmentId)).toEqual(["E1", "E0"]);
    const without = place({ ...facts, equipment: [deviceFact("E0"), deviceFact("E1", { active: false })] });
    expect(!without.ok && without.blockers.map(({ code, subject }) => [code, subject.ref])).toEqual([["EQUIPMENT_TAKEN", "E0"]]);
  });

  it("any doctor: the one with the fewest visits that day, then by reference", () => {
    const claims = [
      claimFact("Europe/Berlin", "r-D1", "2027-02-09T09:00", "2027-02-09T09:30"),
      claimFact("Europe/Berlin", "r-D3", "2027-02-08T09:00", "2027-02-08T09:30"),
      claimFact("Europe/Berlin", "r-D2", "2027-02-08T09:00", "2027-02-08T09:30"),
    ];
    const facts = factsWith({ doctors: [doctorFact("D3"), doctorFact("D1"), doctorFact("D2")], claims });
    const result = placementFor(facts, { treatmentId: "V30", doctorId: "any", startsAt: "2027-02-09T09:00:00Z", now: longAgo });
    expect(result.ok && result.placement.doctorId).toBe("D2");
  });
});

describe("a refusal names what stands in the way", () => {
  const zone = "Europe/Berlin";
  const codes = (
    facts: ClinicFacts,
    local: string,
    rest: { treatmentId?: string; doctorId?: string; patientId?: string; now?: typeof longAgo } = {},
  ) => {
    const startsAt = localSpan(zone, local, addDays(local.slice(0, 10), 2) + local.slice(10)).from;
    const result = placementFor(facts, { treatmentId: "V60", doctorId: "D1", now: longAgo, ...rest, startsAt });
    return result.ok
      ? []
      : result.blockers.map(
          ({ code, subject, label, from, until, appointmentRef }) =>
            `${code} ${subject.ref} ${label} ${from.slice(11, 16)}-${until.slice(11, 16)} ${appointmentRef}`,
        );
  };
  const morning = (name: string, rest: Partial<ClinicFacts>, wanted: string[], wish = {}) =>
    it(name, () => expect(codes(factsWith(rest), "2027-02-09T10:00", wish)).toEqual(wanted));

  morning("nothing: it is free", {}, []);
  morning("a closure", { closures: [{ ...periodFact(zone, "2027-02-09T10:30", "2027-02-09T11:30", "Flood") }] }, [
    "CLOSED CL-000000 Flood 09:30-10:30 null",
  ]);
  morning("a holiday", { holidays: [{ date: "2027-02-09", name: "Founders" }] }, ["HOLIDAY CL-000000 Founders 23:00-23:00 null"]);
  morning("a break", { breaks: [{ id: "b", doctorId: null, weekday: 2, from: "10:45", until: "11:15", label: "Tea", version: "1" }] }, [
    "BREAK CL-000000 Tea 09:45-10:15 null",
  ]);
  morning(
    "a break of the doctor",
    { breaks: [{ id: "b", doctorId: "D1", weekday: null, from: "10:45", until: "11:15", label: "Tea", version: "1" }] },
    ["BREAK D1 Tea 09:45-10:15 null"],
  );
  morning("an absence", { absences: [{ ...periodFact(zone, "2027-02-09T00:00", "2027-02-10T00:00", "Ill"), doctorId: "D1" }] }, [
    "DOCTOR_ABSENT D1 Ill 23:00-23:00 null",
  ]);
  morning("a shift that is over", { doctors: [doctorFact("D1", { shifts: everyDayAt(["09:00", "10:30"]) })] }, [
    "OUTSIDE_SHIFT D1 null 09:30-10:00 null",
  ]);
  morning("another visit", { claims: [claimFact(zone, "r-D1", "2027-02-09T10:30", "2027-02-09T11:00")] }, [
    "DOCTOR_TAKEN D1 null 09:30-10:00 APT-103000",
  ]);
  morning(
    "the clinic's limit",
    { clinic: { resource: { id: "r-c", seats: 1 } } as never, claims: [claimFact(zone, "r-c", "2027-02-09T10:30", "2027-02-09T12:00")] },
    ["CLINIC_FULL CL-000000 null 09:30-10:00 null"],
  );
  morning(
    "the patient, without the name",
    {
      patient: { id: "P", ref: "PT-000001", resourceId: "r-P" },
      claims: [claimFact(zone, "r-P", "2027-02-09T10:30", "2027-02-09T11:00", { appointmentRef: null })],
    },
    ["PATIENT_TAKEN PT-000001 null 09:30-10:00 null"],
    { patientId: "P" },
  );
  morning("the wrong kind of provider", { treatments: [treatmentFact("V60", 60, { providerType: "NURSE" })] }, [
    "PROVIDER_TYPE D1 null 09:00-10:00 null",
  ]);
  morning(
    "nobody of that kind",
    { treatments: [treatmentFact("V60", 60, { providerType: "NURSE" })] },
    ["NO_DOCTOR CL-000000 null 09:00-10:00 null"],
    { doctorId: "any" },
  );
  morning("a doctor of somewhere else", {}, ["DOCTOR_UNKNOWN CL-000000 null 09:00-09:00 null"], { doctorId: "D9" });
  morning("a treatment that is no longer given", { treatments: [treatmentFact("V60", 60, { active: false })] }, [
    "TREATMENT_UNKNOWN CL-000000 null 09:00-09:00 null",
  ]);
  morning("a patient that is not there", {}, ["PATIENT_UNKNOWN CL-000000 null 09:00-09:00 null"], { patientId: "P9" });

  it("the hours, the grid and the past", () => {
    expect(codes(factsWith(), "2027-02-09T11:30")).toEqual([
      "OUTSIDE_HOURS CL-000000 null 11:00-11:30 null",
      "OUTSIDE_SHIFT D1 null 11:00-11:30 null",
    ]);
    expect(codes(factsWith(), "2027-02-09T10:05")).toEqual(["OFF_GRID CL-000000 null 09:05-10:05 null"]);
    expect(codes(factsWith(), "2026-09-30T10:00")).toEqual(["IN_THE_PAST CL-000000 null 08:00-00:00 null"]);
  });
});
