import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { glyphs } from "@/app/_components/icon";

it("the names that code may draw are the symbols of the sprite", () => {
  const sprite = readFileSync("public/icons.svg", "utf8");
  const symbols = [...sprite.matchAll(/<symbol id="i-([a-z0-9-]+)"/g)].map((match) => match[1]);
  expect([...glyphs].sort()).toEqual(symbols.sort());
});
