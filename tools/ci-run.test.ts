import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const parts = [...read(".ci/run").matchAll(/^part (?:"[^"]+"|\S+) npm (?:run )?(.+)$/gm)].map(([, words = ""]) =>
  words.replace("--silent", "").trim(),
);
const ways = read("docs/proofs.md").split("## Ways of proving")[1]?.split("\n## ")[0] ?? "";
const proofs = [...ways.matchAll(/^\| `npm run ([^`]+)` \|/gm)].map(([, words = ""]) => words);

/** What npm test has a sample of, or has run with prepared statements, and the page says so. */
const leftOut = ["test:races", "test:models", "test:fuzz", "test:unprepared"];

test("the CI script runs every way of proving but the larger samples", () => {
  expect(proofs.length).toBeGreaterThan(8);
  const runs = (proof: string) => parts.some((part) => part === proof || part.startsWith(`${proof} `));
  expect(proofs.filter((proof) => !runs(proof))).toEqual(leftOut);
  for (const name of leftOut) expect(ways).toContain(`\`${name}\``);
});

test("the CI script runs what README offers to a newcomer, without a person", () => {
  expect(parts).toEqual(expect.arrayContaining(["check", "test", "demo -- --smoke"]));
});
