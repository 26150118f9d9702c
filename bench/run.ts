import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "@/db/testing/embedded-postgres";
import { openTempFolder } from "@/db/testing/postgres-binaries";
import { type Broker, missingForJars, startBroker } from "@/scripts/lib/kafka-broker";
import { newSecrets } from "@/scripts/lib/secrets";
import type { Context, Suite } from "./lib/context";
import { type BenchDatabase, createBenchDatabase } from "./lib/database";
import { installPeers } from "./lib/peers";
import { notMeasured, passes, printTable, type Row, writeJson } from "./lib/report";

/** Imported when asked for, so that a suite of an unfinished part stops nobody else's. */
const suites: Record<string, () => Promise<Suite>> = {
  booking: async () => (await import("./suites/booking")).booking,
  slots: async () => (await import("./suites/slots")).slots,
  outbox: async () => (await import("./suites/outbox")).outbox,
  relay: async () => (await import("./suites/relay")).relay,
  consumer: async () => (await import("./suites/consumer")).consumer,
  way: async () => (await import("./suites/way")).way,
  http: async () => (await import("./suites/http")).httpSuite,
  growth: async () => (await import("./suites/growth")).growth,
  "replay-key": async () => (await import("./suites/replay-key")).replayKey,
  queue: async () => (await import("./suites/queue")).queue,
  replay: async () => (await import("./suites/replay")).replay,
  story: async () => (await import("./suites/story")).story,
  planning: async () => (await import("./suites/planning")).planning,
  solver: async () => (await import("./suites/solver")).solver,
  pages: async () => (await import("./suites/pages")).pages,
  soak: async () => (await import("./suites/soak")).soak,
};
/** Runs for a quarter of an hour: only when named. */
const onlyWhenNamed = ["soak"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "5" }, quick: { type: "boolean", default: false } },
});
const names = positionals.length > 0 ? positionals : Object.keys(suites).filter((name) => !onlyWhenNamed.includes(name));
const unknown = names.filter((name) => !(name in suites));
if (unknown.length > 0) {
  console.error(`no such suite: ${unknown.join(", ")}; there are ${Object.keys(suites).join(", ")}`);
  process.exit(2);
}

const log = (line: string) => console.error(`# ${line}`);
await installPeers(log);
const base = mkdtempSync(path.join(openTempFolder(), "bench-"));
chmodSync(base, 0o755); // as root the server runs as another user
const server = await startPostgres({ dir: path.join(base, "data"), durable: true });
const secrets = { ...newSecrets(), apiToken: randomBytes(32).toString("base64url") };
let broker: Promise<Broker | string> | undefined;
let brokerPid: number | undefined;
// PostgreSQL and the product's processes end with this one by themselves; a broker would stay
process.once("exit", () => brokerPid && process.kill(brokerPid, "SIGTERM"));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const rows: Row[] = [];
const failed: string[] = [];
try {
  for (const name of names) rows.push(...(await runSuite(name)));
} finally {
  const started = await broker;
  if (started && typeof started !== "string") await started.stop();
  brokerPid = undefined;
  await server.stop();
  rmSync(base, { recursive: true, force: true });
  if (server.dir !== path.join(base, "data")) rmSync(server.dir, { recursive: true, force: true });
}
const barred = rows.filter((row) => row.bar !== undefined);
const missed = barred.filter((row) => passes(row) === false);
if (names.length > 1)
  printTable(
    "every bar",
    barred.map(({ note: _, ...row }) => ({ ...row, what: `${row.suite}: ${row.what}` })),
  );
const file = writeJson(rows, { quick: values.quick, rounds: Number(values.rounds), suites: names });
console.log(
  `\n${barred.length - missed.length} bars passed, ${missed.length} missed${values.quick ? " (quick: a trial, not a figure)" : ""}${failed.length > 0 ? `; did not end: ${failed.join(", ")}` : ""}; ${file}`,
);
process.exit(failed.length > 0 ? 1 : 0); // open sockets of a suite that failed must not hold it. A missed bar is a figure, and no failure of the run

async function runSuite(name: string): Promise<Row[]> {
  const databases: BenchDatabase[] = [];
  const context: Context = {
    server,
    secrets,
    rounds: Number(values.rounds),
    scale: values.quick ? 0.2 : 1,
    freshDatabase: async () => {
      const database = await createBenchDatabase(server, secrets);
      databases.push(database);
      return database;
    },
    broker: () => {
      broker ??= startOwnBroker();
      return broker;
    },
    log,
  };
  const began = performance.now();
  log(`${name} (load ${os.loadavg()[0]?.toFixed(1)})`);
  let found: Row[];
  try {
    found = await (await (suites[name] as () => Promise<Suite>)())(context);
  } catch (error) {
    log(`${name} failed: ${(error as Error).stack}`);
    failed.push(name);
    found = [notMeasured(name, name, (error as Error).message.split("\n")[0] ?? "it failed")];
  } finally {
    for (const database of databases) await database.drop().catch((error) => log(`${database.name}: ${error.message}`));
  }
  printTable(`${name}, ${Math.round((performance.now() - began) / 1000)} s`, found);
  return found;
}

async function startOwnBroker(): Promise<Broker | string> {
  const missing = missingForJars();
  if (missing) return missing;
  try {
    const started = await startBroker({ dir: path.join(base, "kafka"), log });
    brokerPid = started.pid;
    return started;
  } catch (error) {
    return (error as Error).message.split("\n")[0] ?? "it did not start";
  }
}
