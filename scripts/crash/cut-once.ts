import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cut, type CutProxy, startCutProxy } from "@/db/testing/cut-proxy";
import type { Job, Operation, Report, World } from "./operation";

/** A lane has a database of its own, so that the operations of two lanes never meet. */
export type Lane = { world: World; port: number; url(role: "web" | "worker", port: number, application: string): string; nextRun: number };
export type Run = { seen: CutProxy["seen"]; outcome: string; violations: string[] };

/** What an operation opens: the strangers beside it are repeatable read. */
const arm = /^Q....begin isolation level (read committed|serializable)/s;

/** One run of an operation in a process of its own that is cut at most once, with everything that must hold afterwards, before and after its retry. */
export async function cutOnce(lane: Lane, subject: string, operation: Operation, where: Omit<Cut, "how" | "arm">): Promise<Run> {
  const run = lane.nextRun++;
  const child = startSubject(subject); // starts while the rows are made
  const data = await operation.prepare(lane.world, run);
  const proxy = await startCutProxy({ host: "127.0.0.1", port: lane.port }, { ...where, how: "fin", arm });
  const application = `crash-${run}`;
  const url = { web: lane.url("web", proxy.port, application), worker: lane.url("worker", proxy.port, application) };
  const job: Job = { operation: operation.name, run, url, deadlineMs: 12_000, data };
  const { report, stderr } = await finishSubject(child, job);
  proxy.close();
  await untilGone(lane.world, application);
  const seen = report ?? { outcome: "DIED", hung: false, pairs: {}, uncaught: [stderr.slice(0, 300)], unhealthy: [] };
  const violations = [
    ...(await operation.inspect(lane.world, data, seen)),
    ...(await operation.retry(lane.world, data, seen)),
    ...(await strangers(lane.world, seen)),
    ...seen.uncaught.map((error) => `uncaught: ${error}`),
    ...(seen.hung ? ["never settled"] : []),
    ...(seen.unhealthy.length > 0 ? [`the pool is sick afterwards: ${seen.unhealthy.join()}`] : []),
  ];
  return { seen: proxy.seen, outcome: seen.outcome, violations };
}

const startSubject = (file: string) => fork(file, [], { stdio: ["ignore", "pipe", "pipe", "ipc"], execArgv: [] });

async function finishSubject(child: ChildProcess, job: Job): Promise<{ report?: Report; stderr: string }> {
  let out = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => (out += chunk));
  child.stderr?.on("data", (chunk) => (stderr += chunk));
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.send(job, () => {}); // a process that died meanwhile shows in its report
  const timer = setTimeout(() => child.kill("SIGKILL"), 40_000);
  await closed;
  clearTimeout(timer);
  const line = out.trim().split("\n").at(-1);
  return { stderr, report: line?.startsWith("{") ? (JSON.parse(line) as Report) : undefined };
}

/** The server notices a cut only when it next reads or writes. */
async function untilGone({ superuser }: World, application: string) {
  for (let i = 0; i < 500; i++) {
    const [row] = await superuser.$client`select count(*)::int as n from pg_stat_activity where application_name = ${application}`;
    if (row?.n === 0) return;
    await sleep(20);
  }
  throw new Error(`${application} still has sessions`);
}

/** Transactions that only shared the pool with the cut one. */
async function strangers({ superuser }: World, report: Report): Promise<string[]> {
  const rows = await superuser.$client`select pair, count(*)::int as n from crash_pairs group by pair`;
  const halves = new Map(rows.map((row) => [row.pair as string, row.n as number]));
  await superuser.$client`truncate crash_pairs`;
  const found = [...halves].filter(([, n]) => n === 1).map(([pair]) => `a stranger's transaction was committed by half: ${pair}`);
  for (const [pair, outcome] of Object.entries(report.pairs)) {
    if (outcome === "ok" && !halves.has(pair)) found.push(`a stranger was told "done" without its rows: ${pair}`);
    if (halves.get(pair) === 2 && outcome !== "ok" && outcome !== "COMMIT_UNKNOWN")
      found.push(`a stranger was told ${outcome}, and it is there: ${pair}`);
  }
  return found;
}
