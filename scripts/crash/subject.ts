// The process that is cut: one operation, sent by its parent, on a pool that is busy with plain queries and with other transactions. Reports one line of JSON.
// An uncaught error is counted and survived, as a server that only logs would: the harshest case for what runs afterwards.
import { setTimeout as sleep } from "node:timers/promises";
import { type Db, openDb, withTx } from "@/db/client";
import { TxError } from "@/db/tx-error";
import { AppError } from "@/server/app-error";
import type { Job, Report } from "./operation";
import { operations } from "./operations";

const job = await new Promise<Job>((resolve) => process.once("message", resolve as (message: unknown) => void));
const report: Report = { outcome: "HUNG", hung: false, pairs: {}, uncaught: [], unhealthy: [] };
for (const event of ["uncaughtException", "unhandledRejection"])
  process.on(event, (error) => report.uncaught.push(String(error).slice(0, 200)));

const strayEnd = () => report.uncaught.push("25P01: a COMMIT or ROLLBACK met no transaction");
const open = (url: string) => openDb(url, { max: 4, onStrayEnd: strayEnd });
const handles = { web: open(job.url.web), worker: open(job.url.worker) };
const operation = operations.find(({ name }) => name === job.operation);
if (!operation) throw new Error(`no operation ${job.operation}`);
const busy = operation.usesWorker ? handles.worker : handles.web;
let going = true;

await Promise.all(Array.from({ length: 4 }, () => busy.$client`select pg_sleep(0.01)`));
const loops = [plainLoop(), plainLoop(), pairLoop(1)];
const settled = operation.act(handles, job.data).then(
  (answer) => Object.assign(report, { outcome: "answered", answer }),
  (error) => Object.assign(report, { outcome: codeOf(error) }),
);
await Promise.race([settled, sleep(job.deadlineMs + 3_000).then(() => Object.assign(report, { hung: report.outcome === "HUNG" }))]);
await sleep(40); // late statements, reconnects
going = false;
await Promise.race([Promise.all(loops), sleep(5_000)]);
const healthy = await Promise.all(Array.from({ length: 4 }, () => Promise.race([plain().then(() => "ok", codeOf), sleep(5_000, "hung")])));
report.unhealthy = healthy.filter((outcome) => outcome !== "ok");
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));

async function plain(): Promise<unknown> {
  return await busy.$client`select pg_sleep(0.004)`;
}

async function plainLoop() {
  while (going) if ((await plain().then(() => "ok", codeOf)) !== "ok") await sleep(2);
}

/** Two rows a transaction: a stranger that shares the pool must never be committed by half, or be told "done" without its rows. */
async function pairLoop(lane: number) {
  for (let k = 0; going; k++) {
    const pair = `${job.operation}/${job.run}/${lane}/${k}`;
    report.pairs[pair] = await writePair(busy, pair).then(() => "ok", codeOf);
    await sleep(2);
  }
}

function writePair(db: Db, pair: string) {
  const write = async (tx: Parameters<Parameters<typeof withTx>[2]>[0]) => {
    for (const half of [1, 2]) await tx.sql`insert into crash_pairs (pair, half) values (${pair}, ${half})`;
  };
  return withTx(db, { worker: "crash-pair" }, write, { isolation: "repeatable read", deadlineMs: 5_000 });
}

function codeOf(error: unknown): string {
  if (error instanceof TxError || error instanceof AppError) return error.code;
  const { code, cause, message } = error as { code?: string; cause?: { code?: string; message?: string }; message?: string };
  return code ?? cause?.code ?? cause?.message ?? message ?? String(error);
}
