import { describe, expect, it } from "vitest";
import { readSearch } from "./read-search";

const birthDates = (typed: string) => readSearch(typed).numbers.map((one) => one.birthDate);

describe("what was typed to find a person", () => {
  it("words belong to the name, three or more digits to the phone number", () => {
    expect(readSearch("lindq marta 0172")).toEqual({
      words: ["lindq", "marta"],
      numbers: [{ text: "0172", digits: "172", birthDate: null }],
    });
    expect(readSearch("Anna 7")).toEqual({ words: ["anna", "7"], numbers: [] });
  });

  it("a phone number in groups is one number, with a name before or behind it", () => {
    const number = { text: "+1 202 555 0143", digits: "12025550143", birthDate: null };
    expect(readSearch("+1 (202) 555-0143 marta")).toEqual({ words: ["marta"], numbers: [number] });
    expect(readSearch("marta 202 lindq 0143").numbers.map((one) => one.digits)).toEqual(["202", "143"]);
  });

  it.each([
    "1984-03-12",
    "12.03.1984",
    "12.3.1984",
    "12. 3. 1984",
    "1984.03.12",
    "1984. 3. 12.",
    "12 Mar 1984",
    "12 march 1984",
    "12Mar1984",
    "1984년 3월 12일",
    "19840312",
    "1984/3/12",
  ])("the birth date %s is read", (typed) => {
    expect(birthDates(typed)).toEqual(["1984-03-12"]);
    expect(readSearch(`marta ${typed}`)).toMatchObject({ words: ["marta"], numbers: [{ birthDate: "1984-03-12" }] });
  });

  it("day and month between slashes are read only when they cannot be mistaken for each other", () => {
    expect([birthDates("12/03/1984"), birthDates("03/12/1984")]).toEqual([[null], [null]]);
    expect([birthDates("25/03/1984"), birthDates("03/25/1984")]).toEqual([["1984-03-25"], ["1984-03-25"]]);
    expect(birthDates("03/03/1984")).toEqual(["1984-03-03"]);
  });

  it("a day that no calendar has is no birth date, and a number may be both", () => {
    expect([birthDates("31.02.1984"), birthDates("1984-13-01")]).toEqual([[null], [null]]);
    expect(readSearch("31 Feb 1984").words).toEqual(["31", "feb"]);
    expect(readSearch("19840312").numbers).toEqual([{ text: "19840312", digits: "19840312", birthDate: "1984-03-12" }]);
  });
});
