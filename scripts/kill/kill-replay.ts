import { closeDb, openDb } from "@/db/client";
import { farClinic } from "./far-clinic";
import { approveRange, hasEnded, replayRest, rowsNow, wrongWith } from "./far-replay";
import { type Drill, type Harm, recoveryMaxMs, type Scenario } from "./scenario";
import type { Stand } from "./stand";
import { stoppedConsumer, stopRows } from "./stop-rows";
import { atPoint, plain } from "./supervised";
import { until } from "./until";

/** With a row in hand and nothing of it committed, with its effect committed and not in the receipt, and with a row claimed and not begun. */
const points = [
  { point: "inbox.beforeCommit", inHand: 1 },
  { point: "replay.afterItem", inHand: 0 },
  { point: "retry.afterClaim", inHand: 1 },
] as const;
/** The third of six rows. */
const nth = 3;
const inManifest = 6;

/** kill -9 of a replay runner in the middle of an approved range; a fresh one goes on when the lease has ended. */
async function killReplay(drill: Drill): Promise<Harm> {
  const { stand, load } = drill;
  const web = openDb(stand.urls.web, { max: 2, applicationName: "drill" });
  const runner = stand.add("replay-runner", {});
  try {
    const world = await farClinic(stand, web, 2);
    const faults: string[] = [];
    const recoveriesMs: number[] = [];
    for (const { point, inHand } of drill.isSample ? points.slice(0, 1) : points) {
      world.nextDay();
      const stopped = await stopRows(stand, world, web);
      const [rows, others] = [stopped.slice(0, inManifest), stopped.slice(inManifest)];
      const othersBefore = await rowsNow(stand, others);
      const resume = await load.hold(); // offsets that nobody else moves are seen to stand still
      const offsetsBefore = await offsetsAtEnd(stand);
      const before = runner.unasked.length;
      runner.kill(atPoint(point, "SIGKILL", nth));
      const requestId = await approveRange(stand, world, web, rows);
      const died = await until(() => runner.unasked.length > before, recoveryMaxMs);
      const killedMs = Date.now();
      runner.startWith(plain); // else it would die again at the same point
      if (!died) faults.push(`nobody came to ${point}`);
      else runner.unasked.length = before;
      if (!(await until(() => hasEnded(stand, requestId), recoveryMaxMs))) faults.push("no other runner took the replay over");
      recoveriesMs.push(Date.now() - killedMs);
      const found = await wrongWith(stand, requestId, rows, { runners: 2, inHand });
      if ((await rowsNow(stand, others)) !== othersBefore) found.push("rows outside of the manifest were touched");
      found.push(...(await movedSince(stand, requestId, offsetsBefore)));
      faults.push(...found.map((what) => `${what} (${point})`));
      resume();
      faults.push(...(await replayRest(stand, world, web, stopped)));
    }
    return { what: `${recoveriesMs.length} kills at row ${nth} of ${inManifest}, group unmoved`, recoveriesMs, faults };
  } finally {
    await runner.end();
    await closeDb(web);
  }
}

const offsetsOf = async ({ eventLog }: Stand) => JSON.stringify(await eventLog.groupOffsets(stoppedConsumer, "appointment.v1"));

/** Where the operating group stands when it has read all there is. */
async function offsetsAtEnd(stand: Stand): Promise<string> {
  const isRead = async () => {
    const [open] = await stand.superuser.$client`select 1 from outbox where state not in ('PUBLISHED', 'SKIPPED') limit 1`;
    const marks = await stand.eventLog.watermarks("appointment.v1");
    const read = new Map((await stand.eventLog.groupOffsets(stoppedConsumer, "appointment.v1")).map((one) => [one.partition, one.offset]));
    return !open && marks.every(({ partition, high }) => high === "0" || read.get(partition) === high);
  };
  if (!(await until(isRead, recoveryMaxMs))) throw new Error("the operating group did not read to the end");
  return offsetsOf(stand);
}

/** The operating group, as it stands and as the receipt says it stood. */
async function movedSince(stand: Stand, requestId: string, before: string): Promise<string[]> {
  const [row] = await stand.superuser.$client`
    select offsets_before = ${before}::jsonb and offsets_after = ${before}::jsonb as stood from replay_requests where request_id = ${requestId}`;
  return row?.stood && (await offsetsOf(stand)) === before ? [] : ["the operating group moved, or the receipt says so"];
}

export const killReplayScenario: Scenario = { name: "kill -9 of replay-runner", log: "postgres", run: killReplay };
