import { setTimeout as sleep } from "node:timers/promises";
import { closeDb, type Db, openDb } from "@/db/client";
import { freePort } from "@/db/testing/embedded-postgres";
import type { PlanningWorld } from "@/server/domain/planning/testing";
import { farClinic } from "./far-clinic";
import { approveRange, hasEnded, replayRest, rowsNow, wrongWith } from "./far-replay";
import { type Drill, type Harm, recoveryMaxMs, type Scenario } from "./scenario";
import { counted } from "./stall-holder";
import type { Stand } from "./stand";
import { type StoppedRow, stopRows } from "./stop-rows";
import { atPoint, type Supervised } from "./supervised";
import { until } from "./until";

/** With a row claimed and not begun, and with its effect committed and not in the receipt. */
const points = [
  { point: "retry.afterClaim", inHand: 1 },
  { point: "replay.afterItem", inHand: 0 },
] as const;
const nth = 3;

/** A runner that sleeps in the middle of a job, another one that ends the job, and then the first one wakes up: nothing of it is its own any more. */
async function stallReplay({ stand, isSample }: Drill): Promise<Harm> {
  const web = openDb(stand.urls.web, { max: 2, applicationName: "drill" });
  try {
    const world = await farClinic(stand, web, 4);
    const harms: Harm[] = [];
    for (const point of isSample ? points.slice(0, 1) : points) harms.push(await stallAt(stand, world, web, point));
    return {
      what: `${harms.map(({ what }) => what).join(", ")}: fenced`,
      recoveriesMs: harms.flatMap(({ recoveriesMs }) => recoveriesMs),
      faults: harms.flatMap(({ faults }) => faults ?? []),
    };
  } finally {
    await closeDb(web);
  }
}

async function stallAt(stand: Stand, world: PlanningWorld, web: Db, { point, inHand }: (typeof points)[number]): Promise<Harm> {
  world.nextDay();
  const rows = await stopRows(stand, world, web);
  const port = await freePort();
  const sleeper = stand.add("replay-runner", { ...atPoint(point, "SIGSTOP", nth), WORKER_PORT: String(port) });
  let successor: Supervised | undefined;
  try {
    const requestId = await approveRange(stand, world, web, rows);
    if (!(await until(() => sleeper.state() === "T", recoveryMaxMs)))
      return { what: "", recoveriesMs: [], faults: [`nobody came to ${point}`] };
    const stoppedMs = Date.now();
    successor = stand.add("replay-runner", {});
    const ended = await until(() => hasEnded(stand, requestId), recoveryMaxMs);
    const recoveriesMs = [Date.now() - stoppedMs];
    const before = await recordsOf(stand, requestId, rows);
    sleeper.signal("SIGCONT");
    const late = { pid: sleeper.pid(), port, inHand };
    const isFenced = await until(() => endedFenced(stand, requestId, late), recoveryMaxMs);
    await sleep(1_500); // whatever else it may do with what it held
    const faults = [
      ...(ended ? [] : ["nobody took over"]),
      ...(isFenced ? [] : ["the late runner did not end fenced"]),
      ...((await recordsOf(stand, requestId, rows)) === before ? [] : ["the late runner changed what had ended"]),
      ...(await wrongWith(stand, requestId, rows, { runners: 2, inHand })),
      ...(await replayRest(stand, world, web, rows)),
      ...sleeper.unasked,
    ];
    return {
      what: `row ${nth} of ${rows.length} held at ${point}`,
      recoveriesMs,
      faults: faults.map((what) => `${what} (${point})`),
    };
  } finally {
    await sleeper.end();
    await successor?.end();
  }
}

type Late = { pid: number; port: number; inHand: number };

/** The job by the runner's own count; the attempt that it held by a delivery in its name. */
async function endedFenced({ superuser }: Stand, requestId: string, { pid, port, inHand }: Late): Promise<boolean> {
  if ((await counted(port, 'aops_replay_jobs_total{state="FENCED"}')) !== 1) return false;
  const attempts = await superuser.$client`
    select 1 from inbox_deliveries
    where replay_request_id = ${requestId} and outcome = 'FENCED' and worker like ${`replay-runner:%:${pid}:%`}`;
  return attempts.length === inHand;
}

/** Job, items and rows, as they stand. */
async function recordsOf(stand: Stand, requestId: string, rows: readonly StoppedRow[]): Promise<string> {
  const [row] = await stand.superuser.$client<{ kept: string }[]>`
    select concat_ws(' ', r::text, (select string_agg(t::text, ' ' order by t.position) from replay_items t where t.request_id = r.request_id)) as kept
    from replay_requests r where r.request_id = ${requestId}`;
  return `${row?.kept} ${await rowsNow(stand, rows)}`;
}

export const stallReplayScenario: Scenario = { name: "SIGSTOP of replay-runner beyond its lease", log: "postgres", run: stallReplay };
