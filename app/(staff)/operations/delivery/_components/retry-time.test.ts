import { describe, expect, it } from "vitest";
import { nextWallClock } from "./retry-time";

const berlin = "Europe/Berlin";
const at = (now: string, time: string) => {
  const next = nextWallClock(Date.parse(now), berlin, time);
  return next === null ? null : new Date(next).toISOString();
};

describe("the time of a retry by the clinic's clock", () => {
  it("is today while it is still to come, and tomorrow after it", () => {
    expect(at("2027-02-09T09:00:00Z", "14:30")).toBe("2027-02-09T13:30:00.000Z");
    expect(at("2027-02-09T14:00:00Z", "14:30")).toBe("2027-02-10T13:30:00.000Z");
  });

  it("keeps to the clock where it changes in between", () => {
    expect(at("2027-03-27T20:00:00Z", "09:00")).toBe("2027-03-28T07:00:00.000Z"); // the night in which Berlin goes to summer time
  });

  it("is none without a time", () => {
    for (const wrong of ["", "25:00", "9:00", "09:60"]) expect(at("2027-02-09T09:00:00Z", wrong)).toBe(null);
  });
});
