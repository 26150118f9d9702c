import { closeDb, type Db } from "@/db/client";
import { done } from "@/server/domain/inbox/types";
import { approveReplay } from "@/server/domain/replay/approve-replay";
import { runReplayOnce } from "@/server/domain/replay/run-replay-once";
import type { DrillProgress } from "./drill-progress";
import { type DrillWorld, drillConsumer, drillConsumerId, drillLeaseMs, drillTopic } from "./drill-world";
import { effectsOf, seenByLiveWorkers } from "./questions";
import { drillBounds, drillOperator, drillReplayReason, previewAll, publishAndStop, replayDeps } from "./replay-steps";

const items = 6;
const diesAt = 3;

/** The runner of an approved replay loses its database in the middle of an event and never comes back; another one ends the job, and the receipt adds up. */
export async function replayKilled(world: DrillWorld, progress: DrillProgress<"replay-killed">): Promise<void> {
  const { scope } = world;
  const eventIds = await publishAndStop(world, progress, items);
  const offsetsBefore = await groupOffsets(world);
  const job = await progress.step("approve", async () => {
    const { requestId, manifestDigest: digest } = await previewAll(world);
    const input = { clinicId: scope.clinicId, requestId, digest, bounds: drillBounds, reason: drillReplayReason };
    const { request } = await approveReplay(replayDeps(world), drillOperator(world), input);
    return { requestId, facts: { job: request.jobRef ?? "none", records: request.records } };
  });
  await progress.step("killRunner", async () => ({ facts: { handled: await runUntilKilled(world) } }));
  await progress.step("holdPastLease", () => world.wait(drillLeaseMs));
  await progress.step("takeOver", async () => {
    let ran = 0;
    await world.until(async () => {
      const options = { leaseMs: drillLeaseMs };
      const run = await runReplayOnce(world.runtime("runner-b"), world.log, [drillConsumer()], world.control(), options);
      ran += run.ran;
      return (await receiptOf(world, job.requestId)).ended;
    }, 30_000);
    return { facts: { ran } };
  });
  await progress.step("checkAll", async () => {
    const receipt = await receiptOf(world, job.requestId);
    progress.check("receiptAddsUp", `COMPLETED ${items} of ${items}`, `${receipt.state} ${receipt.sum} of ${items}`);
    progress.check("eachDoneOnce", Array(items).fill(1).join(" "), await effectsOf(world, eventIds));
    progress.check("takeOverAudited", "started, taken over, ended; fence 2", `${receipt.acts}; fence ${receipt.fence}`);
    progress.check("offsetsUnmoved", offsetsBefore, await groupOffsets(world));
    progress.check("outOfLiveCounts", "0 rows", await seenByLiveWorkers(world));
  });
}

const groupOffsets = async (world: DrillWorld) => JSON.stringify(await world.log.groupOffsets(drillConsumerId, drillTopic));

/** Runs the job on a pool of its own, which is cut inside the transaction of an event. Answers how many events its handler was asked for. */
async function runUntilKilled(world: DrillWorld): Promise<number> {
  const dying = new AbortController();
  const pool: Db = world.openDb();
  let handled = 0;
  const consumer = drillConsumer(async () => {
    handled += 1;
    if (handled === diesAt) {
      await closeDb(pool, 0);
      dying.abort();
    }
    return done;
  });
  const runtime = world.runtime("runner-a", { db: pool });
  await runReplayOnce(runtime, world.log, [consumer], world.control(dying.signal), { leaseMs: drillLeaseMs }).catch(() => {});
  return handled;
}

async function receiptOf(world: DrillWorld, requestId: string) {
  return world.read(async (tx) => {
    const [row] = await tx.sql`
      select state, ended_at is not null as ended, fence,
        coalesce(processed, 0) + coalesce(duplicate, 0) as sum,
        (select string_agg(case act when 'replay.started' then 'started' when 'replay.taken-over' then 'taken over' else 'ended' end, ', ' order by at, id)
         from audit_entries where subject_id = ${requestId} and act in ('replay.started', 'replay.taken-over', 'replay.ended')) as acts
      from replay_requests where request_id = ${requestId}`;
    if (!row) throw new Error("the drill's replay is gone");
    return row as { state: string; ended: boolean; fence: string; sum: number; acts: string };
  });
}
