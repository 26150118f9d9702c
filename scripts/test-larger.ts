import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { type Counts, countVitest, lastLine } from "@/scripts/lib/counts";
import { bin, ROOT, run } from "@/scripts/lib/run";

/**
 * The tests of which npm test runs a sample, at their full size: npm run test:races, test:fuzz, test:models. A number after `--` is another size.
 * test:unprepared runs the tests of transactions without prepared statements, as behind a pooler that cannot keep them.
 * Each prints the seed it ran from; the file's first lines say which variable repeats it. Ends with the line "N passed, N failed".
 */
const suites: Record<string, { files: string[]; variable: string; size: number }> = {
  races: { files: ["server/http/operations/rounds.db.test.ts"], variable: "RACE_ROUNDS", size: 200 },
  fuzz: { files: ["server/http/fuzz"], variable: "FUZZ_REQUESTS", size: 20_000 },
  models: { files: ["workers/model", "server/http/operations/properties.db.test.ts"], variable: "MODEL_RUNS", size: 200 },
};
const unprepared = [
  "db/client.db.test.ts",
  "server/http/operations",
  "server/domain/inbox",
  "server/domain/outbox",
  "server/domain/notifications",
];
const [name = "", size] = process.argv.slice(2);
const suite = name === "unprepared" ? { files: unprepared, variable: "DATABASE_PREPARE", size: "false" } : suites[name];
if (!suite) throw new Error(`which of ${Object.keys(suites).join(", ")}?`);

const report = path.join(ROOT, `.data/reports/${name}.json`);
mkdirSync(path.dirname(report), { recursive: true });
rmSync(report, { force: true });
const count = size ?? String(suite.size);
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const { code } = await run(bin("vitest"), ["run", "--project", "db", ...reporters, ...suite.files], {
  show: true,
  env: { [suite.variable]: count, ...(name === "models" && { PROPERTY_RUNS: count }) },
});
const counts: Counts = countVitest(report, code);
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
console.log(lastLine(counts));
