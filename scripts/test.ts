import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { findOrInstallBrowser } from "@/scripts/lib/browser";
import { buildProduct } from "@/scripts/lib/build-product";
import { add, type Counts, countPlaywright, countVitest, lastLine } from "@/scripts/lib/counts";
import { bin, ROOT, run } from "@/scripts/lib/run";

/**
 * npm test: unit tests, tests on a real PostgreSQL, the production build, browser tests against it. `npm test -- unit db` runs those parts only.
 * Ends with the line "N passed, N failed"; exit code 1 when anything failed or nothing ran.
 */
const REPORTS = path.join(ROOT, ".data/reports");
const PARTS = ["unit", "db", "e2e"] as const;
type Part = (typeof PARTS)[number];

const asked = process.argv.slice(2).filter((word): word is Part => (PARTS as readonly string[]).includes(word));
const more = process.argv.slice(2).filter((word) => !(PARTS as readonly string[]).includes(word));
mkdirSync(REPORTS, { recursive: true });

let total: Counts = { passed: 0, failed: 0, skipped: 0 };
for (const part of asked.length > 0 ? asked : PARTS) {
  const started = performance.now();
  const counts = part === "e2e" ? await browserTests() : await vitest(part);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : "";
  console.log(`\n${part}: ${counts.passed} passed, ${counts.failed} failed${skipped} in ${seconds} s\n`);
  total = add(total, counts);
}
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
console.log(lastLine(total));

async function vitest(project: string): Promise<Counts> {
  const report = path.join(REPORTS, `${project}.json`);
  rmSync(report, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { code } = await run(bin("vitest"), ["run", "--project", project, ...reporters, ...more], { show: true });
  return countVitest(report, code);
}

async function browserTests(): Promise<Counts> {
  const report = path.join(REPORTS, "e2e.json");
  rmSync(report, { force: true });
  try {
    const CHROMIUM_PATH = await findOrInstallBrowser(console.log);
    await buildProduct({ log: console.log });
    const { code } = await run(bin("playwright"), ["test", ...more], { show: true, env: { CHROMIUM_PATH, E2E_REPORT: report } });
    return countPlaywright(report, code);
  } catch (error) {
    console.error((error as Error).message);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
