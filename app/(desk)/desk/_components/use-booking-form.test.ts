import { describe, expect, it } from "vitest";
import { parseClock } from "./use-booking-form";

describe("a typed clock time", () => {
  it("is read however a desk types it", () => {
    expect(["9", "09", "930", "9:30", "21.00", " 2120 "].map(parseClock)).toEqual(["09:00", "09:00", "09:30", "09:30", "21:00", "21:20"]);
  });

  it("is refused when the clock has no such time", () => {
    expect(["", "24:00", "9:60", "12:3", "noon", "12:345"].map(parseClock)).toEqual([null, null, null, null, null, null]);
  });
});
