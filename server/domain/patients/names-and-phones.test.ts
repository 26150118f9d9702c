import { describe, expect, it } from "vitest";
import { foldName } from "./fold-name";
import { phoneDigits, searchDigits } from "./phone-digits";

describe("H-L4 a name is found whatever the case, accents and composition", () => {
  it.each([
    ["Métt", "mett"],
    ["Métt", "METT"],
    ["Łukasz", "lukasz"],
    ["Straße", "strasse"],
    ["İnci", "inci"],
    ["김하늘", "김하늘".normalize("NFD")],
    ["Zoë 🤡 Ünal", "zoe 🤡 unal"],
    ["O’Brien", "obrien"],
    ["Anne-Marie  Kim", "anne marie kim"],
  ])("%s by %s", (name, typed) => {
    expect(foldName(name)).toBe(foldName(typed));
    expect(foldName(name.normalize("NFD"))).toBe(foldName(name.normalize("NFC")));
  });
});

describe("H-L3 a phone number is found in any format", () => {
  it.each(["202.555.0143", "(202) 555-0143", "+12025550143", "0143", "+1 202 555 0143"])("%s", (typed) => {
    expect(phoneDigits("+1 202 555 0143")).toContain(searchDigits(typed));
  });

  it("a national number is part of the international one", () => {
    expect(phoneDigits("0049 30 901820")).toContain(searchDigits("030 901820"));
  });

  it("a name or two digits are no number", () => {
    expect(searchDigits("Anna 7")).toBeNull();
    expect(searchDigits("12")).toBeNull();
    expect(phoneDigits("12-3")).toBeNull();
  });
});
