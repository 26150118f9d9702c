import { describe, expect, it } from "vitest";
import type { Slot } from "@/server/domain/clinics/types";
import { firstOfDays, suggestDays, suggestTimes } from "./suggest-times";

let n = 0;
const slot = (localStart: string, repeated = false, utcOffset = "+01:00"): Slot => ({
  startsAt: `${localStart}${utcOffset}`,
  endsAt: "",
  localStart,
  utcOffset,
  repeated,
  doctorIds: [`d${n++}`],
  freeSeats: 1,
});
const day = (date: string, hours: number[]) => hours.map((hour) => slot(`${date}T${String(hour).padStart(2, "0")}:00`));
const shown = (slots: Slot[]) => slots.map((one) => one.localStart.slice(5).replace("T", " "));
const week = [...day("2027-02-09", [9, 10, 11, 14, 15, 16, 17]), ...day("2027-02-10", [9, 10, 11]), ...day("2027-02-12", [8, 9])];

describe("suggested free times", () => {
  it("are the wished day's from the wished time on, then the first of later days", () => {
    expect(shown(suggestTimes(week, { date: "2027-02-09", clock: "14:30" }))).toEqual([
      "02-09 15:00",
      "02-09 16:00",
      "02-09 17:00",
      "02-10 09:00",
      "02-12 08:00",
    ]);
  });

  it("are the day's first six without a wished time, and two later days all the same", () => {
    expect(shown(suggestTimes(week, { date: "2027-02-09", clock: null }))).toHaveLength(8);
  });

  it("offer the last times of the day when the wished time is after all of them", () => {
    expect(shown(suggestTimes(week, { date: "2027-02-09", clock: "18:00" })).slice(0, 2)).toEqual(["02-09 16:00", "02-09 17:00"]);
  });

  it("show a repeated time in both readings, also when only one was near enough", () => {
    const night = [
      slot("2026-10-25T01:40", false, "+02:00"),
      slot("2026-10-25T02:20", true, "+02:00"),
      slot("2026-10-25T02:40", true, "+02:00"),
      slot("2026-10-25T02:20", true, "+01:00"),
      slot("2026-10-25T02:40", true, "+01:00"),
    ];
    const found = suggestTimes(night, { date: "2026-10-24", clock: null });
    expect(found.map((one) => one.startsAt)).toEqual(["2026-10-25T01:40+02:00"]);
    const repeated = suggestTimes(night.slice(1), { date: "2026-10-24", clock: null });
    expect(repeated.map((one) => one.startsAt)).toEqual(["2026-10-25T02:20+02:00", "2026-10-25T02:20+01:00"]);
  });

  it("of a later page are two of each day", () => {
    expect(shown(suggestDays(week))).toEqual(["02-09 09:00", "02-09 10:00", "02-10 09:00", "02-10 10:00", "02-12 08:00", "02-12 09:00"]);
    expect(shown(firstOfDays(week))).toEqual(["02-09 09:00", "02-10 09:00", "02-12 08:00"]);
  });
});
