import { mkdirSync } from "node:fs";
import path from "node:path";
import postgres from "postgres";
import { databaseUrl } from "@/db/bootstrap";
import { createTemplateDatabase } from "@/db/testing/template-database";
import type { Guard } from "@/scripts/guards/guard";
import { guards } from "@/scripts/guards/guards";
import { runTests, type TestEnd } from "@/scripts/guards/run-killer";
import { lastLine } from "@/scripts/lib/counts";
import { ROOT } from "@/scripts/lib/run";
import { startThrowAwayServer } from "@/scripts/lib/throw-away";

/**
 * npm run test:guards [-- name …]: first the killing tests on the product as it is, all green; then each guard is taken out by itself, and its
 * named test must turn red. Nothing in the working tree is written. Guards in code go while the file is loaded, guards in the database from a
 * template of their own; one server serves all.
 */
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const chosen = guards.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
const counts = { passed: 0, failed: 0, skipped: 0 };
mkdirSync(path.join(ROOT, ".data/guards"), { recursive: true });
const server = await startThrowAwayServer("guards");
const admin = postgres(server.superuserUrl, { max: 1, onnotice: () => {} });
try {
  const whole = await createTemplateDatabase(server.superuserUrl);
  if (await everythingIsGreen(whole)) {
    const left = chosen.entries();
    const lane = async () => {
      for (const [n, guard] of left) await takeOut(guard, whole, n);
    };
    await Promise.all([lane(), lane()]);
  }
} finally {
  await admin.end({ timeout: 2 });
  await server.stop();
}
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
console.log(lastLine(counts));

/** A killing test that does not exist or is red already would prove nothing. */
async function everythingIsGreen(template: string): Promise<boolean> {
  const killers = chosen.map(({ killer }) => killer);
  const { ends, output } = await runTests(killers, { superuserUrl: server.superuserUrl, template });
  const notGreen = killers.filter((killer) => {
    const runs = runsOf(killer, ends);
    return runs.length === 0 || runs.some(({ status }) => status !== "passed");
  });
  const tests = new Set(killers.map(({ file, test }) => `${file} ${test}`)).size;
  count(notGreen.length === 0, `nothing taken out: ${tests} tests are green`, "");
  for (const killer of notGreen)
    console.log(`     not green: ${killer.file}: ${killer.test}: ${runsOf(killer, ends)[0]?.message ?? "not run"}`);
  if (ends.length === 0) console.log(output);
  return notGreen.length === 0;
}

async function takeOut(guard: Guard, whole: string, n: number): Promise<void> {
  const startedMs = performance.now();
  const template = guard.sql ? await templateWithout(guard.sql, whole, `guard_${n}`) : whole;
  const { ends, output } = await runTests([guard.killer], { superuserUrl: server.superuserUrl, template }, guard);
  const red = runsOf(guard.killer, ends).filter(({ status }) => status === "failed");
  const how =
    red.length > 0 ? `red: ${guard.killer.test}` : ends.length === 0 ? "the test could not be run" : `GREEN: ${guard.killer.test}`;
  count(red.length > 0, guard.name, `${how} (${guard.killer.file}), ${Math.round((performance.now() - startedMs) / 1000)} s`);
  if (red[0]) console.log(`     ${red[0].message.slice(0, 160)}`);
  if (ends.length === 0) console.log(output.slice(0, 2_000));
}

function runsOf({ file, test }: Guard["killer"], ends: TestEnd[]): TestEnd[] {
  return ends.filter((end) => end.file === file && end.test === test);
}

async function templateWithout(sql: string, whole: string, name: string): Promise<string> {
  await admin.unsafe(`create database ${name} template ${whole}`);
  const inside = postgres(databaseUrl(server.superuserUrl, { database: name }), { max: 1, onnotice: () => {} });
  await inside.unsafe(sql);
  await inside.end({ timeout: 2 });
  return name;
}

function count(ok: boolean, name: string, said: string): void {
  counts[ok ? "passed" : "failed"] += 1;
  console.log(`${ok ? "ok  " : "FAIL"} ${name.padEnd(42)} ${said}`);
}
