import { userInfo } from "node:os";
import { closeDb, openDb } from "@/db/client";
import { runInProcess, runOnStand } from "@/scripts/drill/carry-out";
import { printRun } from "@/scripts/drill/print-run";
import { startStand } from "@/scripts/kill/stand";
import { buildProduct } from "@/scripts/lib/build-product";
import { type Counts, lastLine } from "@/scripts/lib/counts";
import { missingForJars } from "@/scripts/lib/kafka-broker";
import { newSecrets } from "@/scripts/lib/secrets";
import { startThrowAwayDatabase } from "@/scripts/lib/throw-away";
import { parseDigestKeys } from "@/server/canonical-hash";
import { type DrillName, drillGroups, drillNames, drillsNamed, type PageDrill } from "@/server/domain/drills/catalog";
import { isPageDrill } from "@/server/domain/drills/drills";
import { type FinishedRun, recordRun } from "@/server/domain/drills/record-run";

/**
 * npm run drill -- <name | group | all> … [--log kafka] [--steps]: practises failures on throw-away set-ups, with really stopped and restarted processes
 * where a drill says so. One line for each drill, with its steps when there is only one; exit code 1 when any of them did not pass.
 * WORKER_DATABASE_URL: the installation in which the runs are kept, so that its page of drills shows them; without it they go with the set-up.
 */
const usage = `npm run drill -- <name | group | all> … [--log kafka] [--steps]
names: ${drillNames.join(", ")}
groups: ${drillGroups.join(", ")}`;

const args = process.argv.slice(2);
const words = args.filter((arg, i) => !arg.startsWith("--") && args[i - 1] !== "--log");
const log = args.includes("--log") ? args[args.indexOf("--log") + 1] : "postgres";
const wanted = words.map((word) => ({ word, drills: drillsNamed(word) }));
const unknown = wanted.filter(({ drills }) => !drills).map(({ word }) => word);
if (wanted.length === 0 || unknown.length > 0 || (log !== "postgres" && log !== "kafka")) {
  console.error(unknown.length > 0 ? `no such drill: ${unknown.join(", ")}\n${usage}` : usage);
  process.exit(2);
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1)); // the others end with this process

const chosen = drillNames.filter((name) => wanted.some(({ drills }) => drills?.includes(name)));
const withSteps = chosen.length === 1 || args.includes("--steps");
const by = userInfo().username;
const counts: Counts = { passed: 0, failed: 0, skipped: 0 };

await inProcess(chosen.filter(isPageDrill));
await onStand(chosen.filter((name): name is Exclude<DrillName, PageDrill> => !isPageDrill(name)));
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
console.log(lastLine(counts));
process.exit();

async function inProcess(drills: PageDrill[]): Promise<void> {
  if (drills.length === 0) return;
  const secrets = newSecrets();
  const database = await startThrowAwayDatabase("drill", secrets);
  try {
    for (const drill of drills)
      await keep(await runInProcess(database, parseDigestKeys(secrets.digestKeys), drill, by), database.urls.worker);
  } catch (error) {
    fail(error);
  } finally {
    await database.stop();
  }
}

async function onStand(drills: Exclude<DrillName, PageDrill>[]): Promise<void> {
  if (drills.length === 0) return;
  const missing = log === "kafka" ? missingForJars() : undefined;
  if (missing) return fail(new Error(`no Kafka can be started here, ${missing}`));
  await buildProduct({ log: console.log });
  const stand = await startStand(log as "postgres" | "kafka");
  try {
    for (const drill of drills) {
      const run = await runOnStand(stand, drill, by);
      await keep(run, stand.urls.worker);
      if (run.reason) break; // what follows would find the same again
    }
  } catch (error) {
    fail(error);
  } finally {
    await stand.close();
  }
}

/** Kept in the installation that is named, else where it took place. */
async function keep(run: FinishedRun & { ref?: string }, url: string): Promise<void> {
  const { WORKER_DATABASE_URL } = process.env;
  const ref = WORKER_DATABASE_URL || !run.ref ? await store(run, WORKER_DATABASE_URL || url) : run.ref;
  printRun({ ...run, ref }, withSteps);
  counts[run.reason ? "failed" : "passed"] += 1;
}

async function store(run: FinishedRun, url: string): Promise<string> {
  const db = openDb(url, { max: 1, applicationName: "drill" });
  try {
    return await recordRun(db, "drill", run);
  } finally {
    await closeDb(db);
  }
}

function fail(error: unknown): void {
  console.log(`FAIL ${(error as Error).message}`);
  counts.failed += 1;
}
