import { describe, expect, it } from "vitest";
import { repeatedReading } from "@/app/_components/time";
import { clockChange, goesBack } from "./clock-change";

const change = (from: string, until: string, zone: string) => clockChange(Date.parse(from), Date.parse(until), zone);

describe("clock changes of a day", () => {
  it("the night on which Berlin's clocks go back shows 02:00 to 03:00 twice", () => {
    const found = change("2026-10-24T18:00Z", "2026-10-25T04:00Z", "Europe/Berlin");
    expect(found).toMatchObject({ from: "03:00", to: "02:00", beforeMinutes: 120, afterMinutes: 60 });
    expect(goesBack(found)).toBe(true);
    expect(repeatedReading("2026-10-25T00:20:00Z", "Europe/Berlin")).toEqual({ nth: 1, offset: "+02:00" });
    expect(repeatedReading("2026-10-25T01:20:00Z", "Europe/Berlin")).toEqual({ nth: 2, offset: "+01:00" });
  });

  it("times before and after the repeated hour are ordinary, to the minute", () => {
    for (const at of ["2026-10-24T23:59:00Z", "2026-10-25T02:00:00Z"]) expect(repeatedReading(at, "Europe/Berlin")).toBeNull();
  });

  it("clocks that go forward repeat nothing", () => {
    const found = change("2027-03-28T00:00Z", "2027-03-28T06:00Z", "Europe/Berlin");
    expect(found).toMatchObject({ from: "02:00", to: "03:00" });
    expect(goesBack(found)).toBe(false);
    expect(repeatedReading("2027-03-28T01:30:00Z", "Europe/Berlin")).toBeNull();
  });

  it("Lord Howe's half hour is half an hour, over midnight of UTC", () => {
    expect(change("2027-04-03T10:00Z", "2027-04-03T20:00Z", "Australia/Lord_Howe")).toMatchObject({ from: "02:00", to: "01:30" });
    expect(repeatedReading("2027-04-03T14:45:00Z", "Australia/Lord_Howe")).toEqual({ nth: 1, offset: "+11:00" });
    expect(repeatedReading("2027-04-03T15:15:00Z", "Australia/Lord_Howe")).toEqual({ nth: 2, offset: "+10:30" });
  });

  it("an ordinary day has none", () => {
    expect(change("2027-02-09T07:00Z", "2027-02-09T18:00Z", "Europe/Berlin")).toBeNull();
    expect(change("2027-02-09T07:00Z", "2027-02-09T18:00Z", "Asia/Seoul")).toBeNull();
  });
});
