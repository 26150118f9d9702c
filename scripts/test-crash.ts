import { createTemplateDatabase } from "@/db/testing/template-database";
import { bundleSubject } from "@/scripts/crash/bundle-subject";
import { crashKafka } from "@/scripts/crash/kafka";
import { openLane } from "@/scripts/crash/open-lane";
import { operations } from "@/scripts/crash/operations";
import { sweepOperation } from "@/scripts/crash/sweep";
import { lastLine } from "@/scripts/lib/counts";
import { startThrowAwayServer } from "@/scripts/lib/throw-away";

/**
 * npm run test:crash [-- --sample n] [-- name …]: cuts the connection of every transactional operation before and after each protocol message, each cut in a
 * process of its own, and prints one line for each operation with the number of points. No point at all is a failure.
 * npm run test:crash -- --kafka [--all]: the same between the product and Kafka, at the first request of each API key or at all of them.
 */
const args = process.argv.slice(2);
const step = args.includes("--sample") ? Number(args[args.indexOf("--sample") + 1]) : 1;
const wanted = args.filter((arg, i) => !arg.startsWith("--") && args[i - 1] !== "--sample");
const LANES = 3;

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1)); // the others end with this process

const server = await startThrowAwayServer("crash");
const counts = { passed: 0, failed: 0, skipped: 0 };
try {
  if (args.includes("--kafka")) Object.assign(counts, await crashKafka(server.superuserUrl, args.includes("--all")));
  else await crashPostgres();
} catch (error) {
  console.error((error as Error).stack);
  counts.failed += 1;
} finally {
  await server.stop();
}
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
console.log(lastLine(counts));
process.exit();

async function crashPostgres(): Promise<void> {
  const subject = await bundleSubject("subject");
  const template = await createTemplateDatabase(server.superuserUrl);
  const lanes = [];
  for (let lane = 0; lane < LANES; lane++) lanes.push(await openLane(server.superuserUrl, template, lane));
  for (const operation of operations) {
    if (wanted.length > 0 && !wanted.includes(operation.name)) continue;
    const startedMs = Date.now();
    const { points, uncut, outcomes, violations } = await sweepOperation(lanes, subject, operation, step);
    const ok = points > 0 && violations.length === 0;
    counts[ok ? "passed" : "failed"] += 1;
    const ends = Object.entries(outcomes).map(([outcome, n]) => `${outcome} ${n}`);
    console.log(
      `${ok ? "ok  " : "FAIL"} ${operation.name.padEnd(16)} ${String(points).padStart(4)} points, ${uncut} uncut runs, ${violations.length} violations, ${Math.round((Date.now() - startedMs) / 1000)} s (${ends.join(", ")})`,
    );
    for (const violation of violations.slice(0, 20)) console.log(`     ${violation}`);
  }
}
