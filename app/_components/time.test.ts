import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addDays,
  dateIn,
  distance,
  epochMs,
  formatDate,
  formatDates,
  formatExactTime,
  formatLongDate,
  formatOffset,
  formatPeriod,
  formatTime,
  zonedParts,
} from "@/app/_components/time";

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : /\.tsx?$/.test(path) ? [path] : [];
  });
}

const formats =
  /toLocale\w*String|to(?:Time|Date|UTC|GMT)String|get(?:UTC)?(?:Hours|Minutes)\(|\.get(?:Date|Day|Month|FullYear)\(|toISOString\(\)\.(?:slice|substr\w*|split)\((?!0, 10\))|DateTimeFormat|useFormatter|getFormatter/;
const formatsInMessage = /\{\s*\w+\s*,\s*(?:date|time)\b/;

describe("time", () => {
  it("no other file of app formats an instant", () => {
    const own = ["app/_components/time.tsx", "app/_components/time.test.ts"];
    const others = files("app").filter((path) => !own.includes(path) && formats.test(readFileSync(path, "utf8")));
    expect(others).toEqual([]);
  });

  it("no message formats an instant", () => {
    for (const language of ["en", "ko"])
      expect(readFileSync(`app/_i18n/${language}.json`, "utf8").match(formatsInMessage), language).toBeNull();
  });

  it.each([
    "at.toLocaleTimeString()",
    "at.toTimeString()",
    "at.toDateString()",
    "at.toUTCString()",
    "at.getHours()",
    "at.getUTCMinutes()",
    "at.getDate()",
    "at.toISOString().slice(11, 16)",
    'new Intl.DateTimeFormat("en")',
  ])("the search would find %s", (code) => expect(formats.test(code)).toBe(true));

  it.each(["{at, date}", "{at,time,short}", "{at, date, ::yyyyMMdd}"])("the search would find %s in a message", (message) =>
    expect(formatsInMessage.test(message)).toBe(true),
  );

  it("an instant reads as the wall clock of its zone, in both languages", () => {
    const at = "2026-08-18T12:06:22.123456Z";
    expect(formatTime(at, "Europe/Berlin", "clock", "en")).toBe("14:06");
    expect(formatTime(at, "Europe/Berlin", "dayClock", "en")).toBe("Tue 18 Aug 14:06");
    expect(formatTime(at, "Asia/Seoul", "dayClock", "ko")).toBe("8월 18일 (화) 21:06");
    expect(formatTime(at, "Asia/Kathmandu", "full", "en")).toBe("Tue 18 Aug 2026 17:51:22 +05:45");
    expect(formatTime(at, "America/New_York", "seconds", "en")).toBe("08:06:22");
  });

  it("midnight is 00:00 and not 24:00", () => {
    expect(formatTime("2026-08-17T22:00:00Z", "Europe/Berlin", "clock", "en")).toBe("00:00");
    expect(dateIn("2026-08-17T22:00:00Z", "Europe/Berlin")).toBe("2026-08-18");
  });

  it("the hour that comes twice differs by its offset", () => {
    const first = zonedParts("2026-10-25T00:20:00Z", "Europe/Berlin");
    const second = zonedParts("2026-10-25T01:20:00Z", "Europe/Berlin");
    expect([first.hour, second.hour]).toEqual([2, 2]);
    expect([formatOffset(first.offsetMinutes), formatOffset(second.offsetMinutes)]).toEqual(["+02:00", "+01:00"]);
    expect(formatOffset(zonedParts("2026-07-01T00:00:00Z", "Australia/Lord_Howe").offsetMinutes)).toBe("+10:30");
  });

  it("a reading that comes twice has its offset behind it, in every style with a clock, and no other has", () => {
    const at = (instant: string, style: "clock" | "dayClock" | "daySeconds" = "clock") =>
      formatExactTime(instant, "Europe/Berlin", style, "en");
    expect([at("2026-10-25T00:20:00Z"), at("2026-10-25T01:20:00Z")]).toEqual(["02:20 (+02:00)", "02:20 (+01:00)"]);
    expect(at("2026-10-25T01:20:00Z", "dayClock")).toBe("Sun 25 Oct 02:20 (+01:00)");
    expect(at("2026-10-25T01:20:07Z", "daySeconds")).toBe("Sun 25 Oct 02:20:07 (+01:00)");
    expect([at("2026-10-24T23:59:00Z"), at("2026-10-25T02:00:00Z"), at("2027-03-28T01:30:00Z")]).toEqual(["01:59", "03:00", "03:30"]);
  });

  it("PostgreSQL's text is read as the instant it names", () => {
    expect(epochMs("2026-08-18 14:06:22.123+00")).toBe(Date.UTC(2026, 7, 18, 14, 6, 22, 123));
    expect(epochMs("2026-08-18 14:06:22+05:45")).toBe(Date.UTC(2026, 7, 18, 8, 21, 22));
  });

  it("dates move by days over month and year ends", () => {
    expect(addDays("2026-12-31", 1)).toBe("2027-01-01");
    expect(addDays("2026-03-01", -1)).toBe("2026-02-28");
    expect(formatDate("2026-08-18", "en")).toBe("Tue 18 Aug");
    expect(formatDate("2026-08-18", "ko")).toBe("8월 18일 (화)");
    expect([formatLongDate("1984-03-12", "en"), formatLongDate("1984-03-12", "ko")]).toEqual(["12 Mar 1984", "1984년 3월 12일"]);
  });

  it("a distance is named in its own unit", () => {
    expect(distance(42_400)).toEqual({ unit: "seconds", count: 42 });
    expect(distance(-61_000)).toEqual({ unit: "minutes", count: 1 });
    expect(distance(47 * 3_600_000)).toEqual({ unit: "hours", count: 47 });
    expect(distance(49 * 3_600_000)).toEqual({ unit: "days", count: 2 });
  });

  it("a range of dates says what both ends share once", () => {
    expect(formatDates("2026-08-19", "2026-08-21", "en")).toBe("19–21 Aug");
    expect(formatDates("2026-08-19", "2026-08-21", "ko")).toBe("8월 19–21일");
    expect(formatDates("2026-08-19", "2026-08-19", "en")).toBe("19 Aug");
    expect(formatDates("2026-08-30", "2026-09-02", "en")).toBe("30 Aug–2 Sep");
    expect(formatDates("2026-12-31", "2027-01-01", "ko")).toBe("12월 31일–1월 1일");
  });

  it("a period within one day names the day once", () => {
    const [from, until] = ["2026-08-24T07:00:00Z", "2026-08-24T10:30:00Z"];
    expect(formatPeriod(from, until, "Europe/Berlin", "en")).toBe("Mon 09:00–12:30");
    expect(formatPeriod(from, until, "Europe/Berlin", "ko")).toBe("(월) 09:00–12:30");
    expect(formatPeriod(from, "2026-08-25T10:30:00Z", "Europe/Berlin", "en")).toBe("Mon 24 Aug 09:00–Tue 25 Aug 12:30");
  });
});
