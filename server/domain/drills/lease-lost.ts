import { attemptRow } from "@/server/domain/inbox/attempt-row";
import { claimBatch } from "@/server/domain/inbox/claim-batch";
import { retryOnce } from "@/server/domain/inbox/retry-once";
import { sortArrivals } from "@/server/domain/inbox/sort-arrivals";
import type { ClaimedRow } from "@/server/domain/inbox/types";
import { newUuid } from "@/server/ids";
import type { DrillProgress } from "./drill-progress";
import { type DrillWorld, drillConsumer, drillLeaseMs } from "./drill-world";
import { effectsOf, rowOf, seenByLiveWorkers } from "./questions";
import { eventIdOf, syntheticEvent } from "./synthetic-event";

/** Worker A is held past its lease, worker B takes over, and A's late write changes nothing. */
export async function leaseLost(world: DrillWorld, progress: DrillProgress<"lease-lost">): Promise<void> {
  const { scope } = world;
  const record = syntheticEvent(scope, newUuid(), 1);
  const eventId = eventIdOf(record);
  const consumer = drillConsumer();
  const workerA = world.runtime("worker-a");
  let held: ClaimedRow | undefined;

  await progress.step("publish", async () => {
    await world.publish([record]);
    return { facts: { events: 1 } };
  });
  await progress.step("claimByA", async () => {
    const { arrivals } = await sortArrivals(workerA, world.records());
    held = (await claimBatch(workerA, consumer, arrivals)).claimed[0];
    return { facts: { fence: held?.fence ?? "none", leaseMs: drillLeaseMs } };
  });
  const claimed = held;
  if (!claimed) throw new Error("worker A got nothing");
  const offsetsBefore = await world.offsets();
  await progress.step("holdPastLease", () => world.wait(drillLeaseMs));
  await progress.step("takeOver", async () => {
    await world.until(async () => {
      await retryOnce(world.runtime("worker-b"), world.log, [consumer], world.control());
      return (await rowOf(world, eventId)).state === "PROCESSED";
    }, 20_000);
    return { facts: { fence: (await rowOf(world, eventId)).fence } };
  });
  const settled = await rowOf(world, eventId);
  let lateEnd = "";
  await progress.step("lateWrite", async () => {
    lateEnd = await attemptRow(workerA, consumer, claimed, world.control());
    return { facts: { end: lateEnd } };
  });
  await progress.step("checkAll", async () => {
    const row = await rowOf(world, eventId);
    progress.check("effectOnce", "1", await effectsOf(world, [eventId]));
    progress.check("lateChangedNothing", `FENCED, ${JSON.stringify(settled)}`, `${lateEnd}, ${JSON.stringify(row)}`);
    progress.check("attemptsAndFences", "2 attempts, fences 1 and 2", `${row.attempts} attempts, fences ${claimed.fence} and ${row.fence}`);
    progress.check("offsetsUnmoved", offsetsBefore, await world.offsets());
    progress.check("outOfLiveCounts", "0 rows", await seenByLiveWorkers(world));
  });
}
