import { describe, expect, it } from "vitest";
import { readSearch } from "@/server/domain/patients/read-search";
import { markName, markPhone, type Part } from "./mark-matches";

const shown = (parts: Part[]) => parts.map(({ text, hit }) => (hit ? `[${text}]` : text)).join("");

describe("what a search matched", () => {
  it("words in any order are marked in the name's own spelling", () => {
    expect(shown(markName("Marta Lindqvist", "lindq marta"))).toBe("[Marta] [Lindq]vist");
    expect(shown(markName("Märta Métt", "mett MAR"))).toBe("[Mär]ta [Métt]");
  });

  it("H-L4 letters without a plain form, composition and Hangul are marked too", () => {
    expect(shown(markName("Łukasz Straße", "lukasz strasse"))).toBe("[Łukasz] [Straße]");
    expect(shown(markName("İnci", "inci"))).toBe("[İnci]");
    expect(shown(markName("김하늘", "하늘".normalize("NFD")))).toBe("김[하늘]");
    expect(shown(markName("Zoe\u0301", "zoé"))).toBe("[Zoe\u0301]");
  });

  it("H-L3 digits are marked whatever stands between them", () => {
    expect(shown(markPhone("+1 202 555 0143", "202.555.0143"))).toBe("+1 [202 555 0143]");
    expect(shown(markPhone("+49 172 555 0142", "0172"))).toBe("+49 [172] 555 0142");
    expect(shown(markPhone("+49 172 555 0142", "marta"))).toBe("+49 172 555 0142");
    expect(shown(markPhone("+49 172 555 0142", "lindq marta 0172"))).toBe("+49 [172] 555 0142");
    expect(shown(markPhone("+49 172 555 0142", "0172 marta 0142"))).toBe("+49 [172] 555 0[142]");
  });

  it.each(["lindq marta 0172", "+49 (172) 555-0142 marta", "0172 marta 0142", "marta 7", "172a 555", "marta - 0142"])(
    "what the search takes for digits of the phone is what is marked: %s",
    (typed) => {
      const marked = (text: string) => markPhone(text, typed).some(({ hit }) => hit);
      const searched = readSearch(typed).numbers.flatMap(({ digits }) => digits ?? []);
      expect(marked("+49 172 555 0142")).toBe(searched.length > 0);
      for (const digits of searched) expect(shown(markPhone(digits, typed))).toBe(`[${digits}]`);
    },
  );

  it("nothing typed marks nothing, and the text is never changed", () => {
    expect(shown(markName("O’Brien-Ünal 🤡", " "))).toBe("O’Brien-Ünal 🤡");
    expect(
      markName("O’Brien-Ünal 🤡", "obrien nal")
        .map(({ text }) => text)
        .join(""),
    ).toBe("O’Brien-Ünal 🤡");
  });
});
