import { describe, expect, it } from "vitest";
import { parseWeek, weekTexts } from "./week-text";

describe("a week as typed lines", () => {
  const hours = [
    { weekday: 1, from: "09:00", until: "12:00" },
    { weekday: 1, from: "13:00", until: "17:00" },
    { weekday: 7, from: "22:00", until: "02:00" },
  ];

  it("reads back what it wrote", () => {
    expect(weekTexts(hours)).toEqual(["09:00-12:00, 13:00-17:00", "", "", "", "", "", "22:00-02:00"]);
    expect(parseWeek(weekTexts(hours))).toEqual({ hours, wrong: [] });
  });

  it("takes a dash of any length and spaces, and names the lines that it cannot read", () => {
    expect(parseWeek([" 09:00 – 12:00 ,13:00-17:00", "9-12", "25:00-26:00", "", "", "", ""])).toEqual({
      hours: hours.slice(0, 2),
      wrong: [1, 2],
    });
  });
});
