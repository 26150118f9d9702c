import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { addDays, dayBounds, dayInterval, isDate, isoWeekday, isZone, localAt, localSpan, resolveLocal, toIso } from "./local-time";
import { factsSpanOf, parseWishedStart } from "./wished-start";

const zones = [
  "Europe/Berlin",
  "America/New_York",
  "Asia/Seoul",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Europe/Dublin",
  "Pacific/Apia",
  "UTC",
];
const hours = ({ from, until }: { from: number; until: number }) => (until - from) / 3_600_000;
const inZone = (at: number, zone: string) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);

describe("clinic time", () => {
  it("reads the clock as Temporal does, in every zone at every minute", () => {
    const minute = fc.integer({ min: Date.parse("2011-01-01T00:00Z") / 60_000, max: Date.parse("2037-01-01T00:00Z") / 60_000 });
    fc.assert(
      fc.property(fc.constantFrom(...zones), minute, (zone, minutes) => {
        const at = minutes * 60_000;
        const there = inZone(at, zone);
        const shown = localAt(zone, at);
        expect(shown.local).toBe(there.toPlainDateTime().toString({ smallestUnit: "minute" }));
        expect(shown.utcOffset).toBe(there.offset);
        expect(shown.date).toBe(there.toPlainDate().toString());
        const readings = ["earlier", "later"].map(
          (disambiguation) =>
            there.toPlainDateTime().toZonedDateTime(zone, { disambiguation: disambiguation as "earlier" }).epochMilliseconds,
        );
        expect(shown.repeated).toBe(readings[0] !== readings[1]);
        expect(resolveLocal(zone, shown.local, shown.utcOffset)).toEqual({ ok: true, at });
      }),
      { numRuns: 2_000 },
    );
  });

  it("says what Temporal says of the hours around every clock change", () => {
    for (const zone of zones)
      for (
        let at = inZone(Date.parse("2026-06-01T00:00Z"), zone).getTimeZoneTransition("next");
        at && at.year < 2029;
        at = at.getTimeZoneTransition("next")
      )
        for (let minutes = -180; minutes <= 180; minutes += 15) {
          const wanted = at.toPlainDateTime().add({ minutes });
          const resolved = resolveLocal(zone, wanted.toString({ smallestUnit: "minute" }));
          const instants = ["earlier", "later"].map((disambiguation) =>
            wanted.toZonedDateTime(zone, { disambiguation: disambiguation as "earlier" }),
          );
          if (!instants[0]?.toPlainDateTime().equals(wanted)) expect(resolved).toEqual({ ok: false, code: "NONEXISTENT" });
          else if (instants[0].equals(instants[1] as Temporal.ZonedDateTime))
            expect(resolved).toEqual({ ok: true, at: instants[0].epochMilliseconds });
          else
            expect(resolved).toEqual({
              ok: false,
              code: "AMBIGUOUS",
              choices: instants.map((one) => ({ startsAt: one.toInstant().toString(), utcOffset: one.offset })),
            });
        }
  });

  it("days have 23, 24, 25 hours, or half an hour more or less on Lord Howe, and one that a zone left out has none", () => {
    expect(hours(dayBounds("Europe/Berlin", "2027-03-28"))).toBe(23);
    expect(hours(dayBounds("Europe/Berlin", "2027-10-31"))).toBe(25);
    expect(hours(dayBounds("Europe/Berlin", "2027-02-09"))).toBe(24);
    expect(hours(dayBounds("Australia/Lord_Howe", "2027-10-03"))).toBe(23.5);
    expect(hours(dayBounds("Australia/Lord_Howe", "2027-04-04"))).toBe(24.5);
    expect(hours(dayBounds("Pacific/Apia", "2011-12-30"))).toBe(0);
    expect(toIso(dayBounds("Asia/Beirut", "2024-03-31").from)).toBe("2024-03-30T22:00:00Z"); // its midnight did not exist
  });

  it("an interval that ends at or before its start ends on the next day", () => {
    const night = dayInterval("America/New_York", "2026-10-31", "22:00", "06:00");
    expect([toIso(night.from), toIso(night.until), hours(night)]).toEqual(["2026-11-01T02:00:00Z", "2026-11-01T11:00:00Z", 9]);
    expect(hours(dayInterval("Europe/Berlin", "2027-02-09", "00:00", "00:00"))).toBe(24);
  });

  it("a bound in a gap is the jump itself, and a repeated hour belongs wholly to the span that ends or begins in it", () => {
    const gap = localSpan("America/New_York", "2027-03-14T02:15", "2027-03-14T02:45");
    expect(hours(gap)).toBe(0);
    expect(toIso(localSpan("America/New_York", "2027-03-14T02:15", "2027-03-14T04:00").from)).toBe("2027-03-14T07:00:00Z");
    const repeated = localSpan("America/New_York", "2026-11-01T01:00", "2026-11-01T01:30");
    expect([toIso(repeated.from), toIso(repeated.until)]).toEqual(["2026-11-01T05:00:00Z", "2026-11-01T06:30:00Z"]);
  });

  it("knows zones of the database, and no offsets or inventions", () => {
    expect(["Europe/Berlin", "Asia/Kathmandu", "America/Argentina/Ushuaia", "UTC"].filter(isZone)).toHaveLength(4);
    expect(["+01:00", "Europe/Nowhere", "", "Europe/Berlin; drop", "../etc"].filter(isZone)).toEqual([]);
  });

  it("calendar days are counted without a zone", () => {
    expect([addDays("2027-02-28", 1), addDays("2027-01-01", -1), isoWeekday("2027-02-09"), isoWeekday("2027-02-14")]).toEqual([
      "2027-03-01",
      "2026-12-31",
      2,
      7,
    ]);
    expect(["2028-02-29", "2027-02-29", "2027-2-9", "2027-13-01"].map(isDate)).toEqual([true, false, false, false]);
  });
});

describe("a wished start", () => {
  it("H-E2: a bare local time that exists twice or not at all is refused, not guessed", () => {
    expect(parseWishedStart("America/New_York", "2026-11-01T01:30")).toEqual({
      ok: false,
      code: "AMBIGUOUS",
      choices: [
        { startsAt: "2026-11-01T05:30:00Z", utcOffset: "-04:00" },
        { startsAt: "2026-11-01T06:30:00Z", utcOffset: "-05:00" },
      ],
    });
    expect(parseWishedStart("America/New_York", "2027-03-14T02:30")).toEqual({ ok: false, code: "NONEXISTENT" });
    expect(parseWishedStart("Australia/Lord_Howe", "2027-10-03T02:15")).toEqual({ ok: false, code: "NONEXISTENT" });
  });

  it("an offset makes it one instant, on the clinic's clock or on any other", () => {
    const at = { ok: true, at: Date.parse("2026-11-01T06:30Z"), startsAt: "2026-11-01T06:30:00Z" };
    expect(parseWishedStart("America/New_York", { local: "2026-11-01T01:30", utcOffset: "-05:00" })).toEqual(at);
    expect(parseWishedStart("America/New_York", "2026-11-01T01:30-05:00")).toEqual(at);
    expect(parseWishedStart("America/New_York", "2026-11-01T07:30:00+01:00")).toEqual(at);
    expect(parseWishedStart("America/New_York", "2026-11-01T06:30Z")).toEqual(at);
    expect(parseWishedStart("America/New_York", { local: "2027-02-09T10:00", utcOffset: "-04:00" })).toEqual({
      ok: false,
      code: "OFFSET_MISMATCH",
    });
  });

  it("no date and time is invalid", () => {
    for (const text of ["", "2027-02-09", "2027-02-30T10:00", "2027-02-09T25:00", "tomorrow", "2027-02-09T10:00+99:00"])
      expect(parseWishedStart("Europe/Berlin", text)).toEqual({ ok: false, code: "INVALID" });
  });

  it("the facts for it hold the clinic's whole day, in whatever zone", () => {
    for (const zone of [...zones, "Pacific/Kiritimati", "Etc/GMT+12"])
      for (const input of ["2027-02-09T00:00", "2027-02-09T23:45"]) {
        const parsed = parseWishedStart(zone, input);
        const span = factsSpanOf(input);
        if (!parsed.ok || !span) throw new Error("both are there");
        const day = dayBounds(zone, "2027-02-09");
        expect(span.from).toBeLessThan(Math.min(day.from, parsed.at - 16 * 3_600_000));
        expect(span.until).toBeGreaterThan(Math.max(day.until, parsed.at + 16 * 3_600_000));
      }
  });
});
