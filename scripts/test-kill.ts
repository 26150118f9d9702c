import { checkAfterwards } from "@/scripts/kill/check";
import { startLoad } from "@/scripts/kill/load";
import { recovery, untilQuiet } from "@/scripts/kill/recovery";
import { recoveryMaxMs, type Scenario } from "@/scripts/kill/scenario";
import { scenarios } from "@/scripts/kill/scenarios";
import { type Stand, startStand } from "@/scripts/kill/stand";
import { buildProduct } from "@/scripts/lib/build-product";
import { lastLine } from "@/scripts/lib/counts";
import { missingForJars } from "@/scripts/lib/kafka-broker";

/**
 * npm run test:kill [-- --sample] [-- word …]: the built processes under a steady load of bookings are killed, stopped, cut off from their database or
 * broker, and given wrong clocks; afterwards everything must be as if nothing had happened. One line for each scenario, with the time to recover.
 * Words choose scenarios by their names.
 */
const args = process.argv.slice(2);
const isSample = args.includes("--sample");
const words = args.filter((arg) => !arg.startsWith("--"));
const perSecond = 6;
const counts = { passed: 0, failed: 0, skipped: 0 };

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1)); // the others end with this process

const chosen = scenarios.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
await buildProduct({ log: console.log });
for (const log of ["postgres", "kafka"] as const) {
  const ours = chosen.filter((scenario) => scenario.log === log);
  if (ours.length === 0) continue;
  const missing = log === "kafka" ? missingForJars() : undefined;
  if (missing) {
    // a run that was to prove it and could not is no success
    console.log(`SKIP ${ours.map(({ name }) => name).join(", ")}: no Kafka can be started here, ${missing}`);
    counts.skipped += ours.length;
    if (words.length > 0 || process.env.CI) counts.failed += ours.length;
    continue;
  }
  await onStand(log, ours);
}
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
console.log(lastLine(counts));
process.exit();

async function onStand(log: Stand["log"], ours: Scenario[]): Promise<void> {
  let stand: Stand | undefined;
  try {
    stand = await startStand(log);
    for (const scenario of ours) {
      const faults = await runScenario(stand, scenario);
      counts[faults.length === 0 ? "passed" : "failed"] += 1;
      if (faults.length > 0) break; // what follows would find the same again
    }
  } catch (error) {
    console.log(`FAIL on ${log}: ${(error as Error).stack}`);
    counts.failed += 1;
  } finally {
    await stand?.close();
  }
}

async function runScenario(stand: Stand, scenario: Scenario): Promise<string[]> {
  const startedMs = Date.now();
  const load = startLoad({ ...stand, perSecond, next: stand.nextVisit });
  const settled = (sinceMs?: number) => recovery(stand, load, sinceMs);
  await settled();
  const faults: string[] = [];
  const harm = await scenario.run({ stand, load, isSample, recovery: settled });
  faults.push(...(harm.faults ?? []));
  await load.stop(recoveryMaxMs);
  const unquiet = await untilQuiet(stand);
  if (unquiet) faults.push(unquiet);
  const slowest = Math.max(0, ...harm.recoveriesMs);
  if (!Number.isFinite(slowest)) faults.push("it did not recover in time");
  faults.push(...(await checkAfterwards(stand, load)));
  const ended = stand.processes.flatMap((one) => one.unasked.splice(0));
  const s = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  console.log(
    `${faults.length === 0 ? "ok  " : "FAIL"} ${scenario.name.padEnd(48)} ${harm.what}; ${load.acknowledged.length} commands, ${load.retries()} retries; ` +
      `recovered after ${s(slowest)} at most; ${ended.length > 0 ? `${ended.length} processes ended by themselves; ` : ""}${s(Date.now() - startedMs)}`,
  );
  for (const fault of faults.slice(0, 12)) console.log(`     ${fault}`);
  if (faults.length > 0)
    console.log(`     tries again after: ${[...load.troubles].map(([what, n]) => `${what} × ${n}`).join(", ") || "nothing"}`);
  for (const one of ended.slice(0, 3)) console.log(`     note: ${one}`);
  return faults;
}
