import { checkDocs } from "@/scripts/lib/check-docs";
import { bin, run } from "@/scripts/lib/run";
import { findStaleMigration } from "@/scripts/lib/stale-migration";

/** npm run check: everything that can be found without running the product. Runs all of it, one line each; exit code 1 if any failed. */
const CHECKS: [name: string, check: () => Promise<string | undefined>][] = [
  ["format and lint", () => program(bin("biome"), ["check", "--error-on-warnings", "."])],
  ["types", async () => (await program(bin("next"), ["typegen"])) ?? (await program(bin("tsc"), ["--noEmit"]))],
  ["arrows between folders", () => program(process.execPath, ["tools/cruise.mjs"])],
  ["unused code and packages", () => program(bin("knip"), ["--no-progress"])],
  ["migrations consistent", () => program(bin("drizzle-kit"), ["check"])],
  ["migrations up to date", findStaleMigration],
  ["migration hashes", () => program(bin("tsx"), ["tools/migration-hashes.ts", "--check"])],
  ["documents", async () => checkDocs().join("\n") || undefined],
];

let failed = 0;
for (const [name, check] of CHECKS) {
  const started = performance.now();
  const fault = await check();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${fault === undefined ? "ok  " : "FAIL"} ${name.padEnd(26)} ${seconds} s`);
  if (fault === undefined) continue;
  failed += 1;
  console.log(fault.trim().replace(/^/gm, "     "));
}
console.log(`${CHECKS.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function program(command: string, args: string[]): Promise<string | undefined> {
  const { code, output } = await run(command, args);
  return code === 0 ? undefined : output;
}
