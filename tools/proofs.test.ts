import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { guards } from "../scripts/guards/guards";
import { patched } from "../scripts/guards/without-guard";

const root = path.resolve(import.meta.dirname, "..");
const page = readFileSync(path.join(root, "docs/proofs.md"), "utf8");
const named = [...page.matchAll(/`([\w./[\]()-]+\.ts)`: “([^”]+)”/g)].map(([, file = "", name = ""]) => ({ file, name }));

test("every test that the page of proofs names is in its file", () => {
  expect(named.length).toBeGreaterThan(100);
  const gone = named.filter(({ file, name }) => !existsSync(path.join(root, file)) || !holds(file, name));
  expect(gone).toEqual([]);
});

test("every kind of complaint and every answer to it is on the page, with a test that bears its number", () => {
  const numbers = [..."ABCDEFGHIJ", ...Array.from({ length: 17 }, (_, n) => String(n + 1))];
  const without = numbers.filter(
    (number) => !page.includes(`| O-${number} |`) || !named.some(({ name }) => name.startsWith(`O-${number} `)),
  );
  expect(without).toEqual([]);
});

test("every guard that is taken out is on the page, with the test that turns red", () => {
  const missing = guards.filter(
    ({ name, killer }) => !page.includes(`| ${name} |`) || !page.includes(`\`${killer.file}\`: “${killer.test}”`),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test("every guard in code is where the list looks for it, once", () => {
  for (const patch of guards.flatMap(({ code }) => code ?? [])) {
    const text = readFileSync(path.join(root, patch.file), "utf8");
    expect(patched(text, patch), patch.file).not.toBe(text);
  }
});

/** A title of the page may stand in the file as a pattern of its parts: `refuses %s`. */
function holds(file: string, name: string): boolean {
  const text = readFileSync(path.join(root, file), "utf8").replaceAll('\\"', '"');
  return text.includes(name) || titlesOf(text).some((pattern) => pattern.test(name));
}

function titlesOf(text: string): RegExp[] {
  const titles = [...text.matchAll(/\b(?:it|test)\.each\([\s\S]*?\)\(\s*"([^"]*%[^"]*)"/g)].map(([, title = ""]) => title);
  return titles.map((title) => new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/%[a-z]/g, ".+")}$`));
}
