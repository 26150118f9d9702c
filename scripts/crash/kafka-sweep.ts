import { fork } from "node:child_process";
import { outOfOrder, readWholeLog } from "@/scripts/lib/log-order";
import type { EventLog } from "@/server/domain/event-log/port";
import { checkInvariants } from "@/server/domain/operations/check-invariants";
import { bookVisit } from "./commands";
import type { Lane } from "./cut-once";
import { type ApiName, apiKeys, type KafkaCut, type KafkaProxy } from "./kafka-cut-proxy";
import { dailyLoad, topic, workOff } from "./kafka-work";
import { expireLeases } from "./ticks";

export type KafkaJob = { broker: string; workerUrl: string; deadlineMs: number };
export type KafkaReport = { outcome: string; uncaught: string[] };
export type KafkaTally = { api: ApiName; points: number; outcomes: Record<string, number>; violations: string[] };
/** What happens to the process at the cut: it goes on and must find its way, or it dies with it. */
type Fate = "lives" | "dies";
export type KafkaBench = { lane: Lane; proxy: KafkaProxy; behind: string; subject: string; clean: EventLog };

const visitsEach = 3;
const deadlineMs = 40_000;

/**
 * Cuts the conversation with Kafka at the n-th request of each API key, before it and after it (done, and the answer lost), with the process living on
 * and dying with it. One uncut run says how many requests there are: the first of each, or all of them. A consumer polls for ever, so only what that
 * run had counts as a point.
 */
export async function sweepKafka(bench: KafkaBench, isAll: boolean, onTally: (tally: KafkaTally, seconds: number) => void): Promise<void> {
  const uncut = await cutOnce(bench, undefined, "lives");
  for (const api of Object.keys(apiKeys) as ApiName[]) {
    const startedMs = Date.now();
    const tally: KafkaTally = { api, points: 0, outcomes: {}, violations: uncut.violations.map((violation) => `uncut: ${violation}`) };
    const last = isAll ? uncut.requests[api] : Math.min(1, uncut.requests[api]);
    for (let n = 1; n <= last; n++) {
      for (const when of ["before", "after"] as const)
        for (const fate of ["lives", "dies"] as const) {
          const run = await cutOnce(bench, { api, n, when }, fate);
          const where = `${when} ${api} ${n}, the process ${fate}`;
          if (run.isCut) tally.points += 1;
          else if (n === 1) tally.violations.push(`${where}: this point could not be met`); // later polls depend on the moment
          tally.outcomes[run.outcome] = (tally.outcomes[run.outcome] ?? 0) + 1;
          tally.violations.push(...run.violations.map((violation) => `${where}: ${violation}`));
        }
    }
    onTally(tally, (Date.now() - startedMs) / 1000);
  }
}

type Run = { isCut: boolean; outcome: string; violations: string[]; requests: Record<ApiName, number> };

async function cutOnce(bench: KafkaBench, cut: KafkaCut | undefined, fate: Fate): Promise<Run> {
  const { lane, proxy } = bench;
  for (let i = 0; i < visitsEach; i++) await bookVisit(lane.world, lane.nextRun++);
  const child = fork(bench.subject, [], { stdio: ["ignore", "pipe", "pipe", "ipc"], execArgv: [] });
  let out = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => (out += chunk));
  child.stderr?.on("data", (chunk) => (stderr += chunk));
  const closed = new Promise((resolve) => child.once("close", resolve));
  proxy.arm(cut, fate === "dies" ? () => child.kill("SIGKILL") : undefined);
  const job: KafkaJob = { broker: bench.behind, workerUrl: lane.url("worker", lane.port, "crash-kafka"), deadlineMs };
  child.send(job, () => {});
  const timer = setTimeout(() => child.kill("SIGKILL"), deadlineMs + 15_000);
  await closed;
  clearTimeout(timer);
  const seen = proxy.seen();
  proxy.arm(undefined);

  const line = out.trim().split("\n").at(-1);
  const isKilled = fate === "dies" && seen.cut;
  const report: KafkaReport = line?.startsWith('{"outcome"')
    ? JSON.parse(line)
    : { outcome: isKilled ? "killed" : "DIED", uncaught: isKilled ? [] : [stderr.slice(0, 300) || "ended without a word"] };
  const violations = [
    ...report.uncaught.map((error) => `uncaught: ${error}`),
    ...(fate === "lives" && report.outcome !== "done" ? [`did not find its way: ${report.outcome}`] : []),
    ...(await faults(bench, "before the recovery")),
    ...(await recover(bench)),
    ...(await faults(bench, "after the recovery")),
    ...(await endsWell(bench)),
  ];
  return { isCut: seen.cut, outcome: report.outcome, violations, requests: seen.requests };
}

async function faults({ lane }: KafkaBench, when: string): Promise<string[]> {
  return (await checkInvariants(lane.world.worker)).map(({ invariant, offenders }) => `${when} ${offenders} break "${invariant}"`);
}

/** Another process, over a clean connection, once the leases of the first have run out. */
async function recover({ lane, clean }: KafkaBench): Promise<string[]> {
  await expireLeases(lane.world);
  return workOff(lane.world.worker, clean, deadlineMs, true).then(
    () => [],
    (error: Error) => [`no recovery: ${error.message}`],
  );
}

/** Every event lies where its entry says, at most once more than it should, in order, and had its effect. */
async function endsWell({ lane, clean }: KafkaBench): Promise<string[]> {
  const entries = await lane.world.superuser.$client`
    select o.event_id, o.state, o.attempts, o.log_partition, o.log_offset, i.state as inbox
    from outbox o
    left join inbox i on i.event_id = o.event_id and i.consumer = ${dailyLoad.id}`;
  const records = await readWholeLog(clean, topic);
  const found = outOfOrder(records);
  for (const entry of entries) {
    const copies = records.filter(({ headers }) => headers.ce_id === entry.event_id);
    const isThere = copies.some(({ position }) => position.partition === entry.log_partition && position.offset === entry.log_offset);
    if (entry.state !== "PUBLISHED" || !isThere || entry.inbox !== "PROCESSED" || entry.attempts !== 0)
      found.push(`${entry.event_id} is ${entry.state}, ${isThere ? "there" : "not where it says"}, consumed: ${entry.inbox}`);
    if (copies.length > 2) found.push(`${entry.event_id} was published ${copies.length} times after one cut`);
  }
  return found.slice(0, 5);
}
