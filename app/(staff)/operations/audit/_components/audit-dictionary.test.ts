import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { actWord } from "./audit-dictionary";

const subjects = "access|api|api-token|appointment|audit|drill|evidence|hours|patient|planning|replay|session|story|user|view";
const named = new RegExp(`"((?:${subjects})\\.[a-z-]+)"`, "g");
const sources = ["server", "workers"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/test/.test(file))
    .map((file) => `${folder}/${file}`),
);

describe("words of the audit", () => {
  it("has one for every act that the product writes, and for the refusal of every operation, so that no page shows a stored name", () => {
    const written = new Set(sources.flatMap((file) => [...readFileSync(file, "utf8").matchAll(named)].map(([, act]) => act as string)));
    expect(written.size).toBeGreaterThan(40);
    expect([...written].filter((act) => !actWord(act)).sort()).toEqual([]);
    expect([...written].filter((act) => !actWord(`command.${act}`)).sort()).toEqual([]);
  });
});
