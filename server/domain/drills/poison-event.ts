import { retryOnce } from "@/server/domain/inbox/retry-once";
import { attemptsMaxDefault, done, retryLater } from "@/server/domain/inbox/types";
import { newUuid } from "@/server/ids";
import type { DrillProgress } from "./drill-progress";
import { type DrillWorld, drillConsumer } from "./drill-world";
import { deliveriesOf, effectsOf, rowOf, seenByLiveWorkers } from "./questions";
import { eventIdOf, syntheticEvent } from "./synthetic-event";

/** An event whose handler fails each time is tried to its limit, set aside, and harms neither its neighbour nor the order of its own visit. */
export async function poisonEvent(world: DrillWorld, progress: DrillProgress<"poison-event">): Promise<void> {
  const { scope } = world;
  const [visit, otherVisit] = [newUuid(), newUuid()];
  const records = [syntheticEvent(scope, visit, 1), syntheticEvent(scope, otherVisit, 1), syntheticEvent(scope, visit, 2)];
  const [poison = "", neighbour = "", successor = ""] = records.map(eventIdOf);
  const consumer = drillConsumer((event) => (event.eventId === poison ? retryLater("HANDLER_FAILED") : done));

  await progress.step("publish", async () => {
    await world.publish(records);
    return { facts: { events: records.length } };
  });
  await progress.step("consume", async () => {
    await world.consume(consumer);
    return { facts: { attempts: (await rowOf(world, poison)).attempts } };
  });
  await progress.step("retryToLimit", async () => {
    await world.until(async () => {
      await retryOnce(world.runtime("scheduler"), world.log, [consumer], world.control());
      return (await rowOf(world, poison)).state === "QUARANTINED";
    }, 20_000);
    return { facts: { attempts: (await rowOf(world, poison)).attempts } };
  });
  await progress.step("checkAll", async () => {
    const row = await rowOf(world, poison);
    const tasks = await world.read((tx) => tx.sql`select 1 from delivery_tasks where row_id = ${row.id} and status = 'OPEN'`);
    const behind = await rowOf(world, successor);
    progress.check("stoppedAtLimit", `QUARANTINED ${attemptsMaxDefault}`, `${row.state} ${row.attempts}`);
    progress.check("poisonHasNoEffect", "0", await effectsOf(world, [poison]));
    progress.check("neighbourDoneOnce", "1 PROCESSED", `${await effectsOf(world, [neighbour])} ${await deliveriesOf(world, neighbour)}`);
    progress.check("successorWaits", "RETRYABLE BLOCKED_BY 0", `${behind.state} ${behind.reason} ${behind.attempts}`);
    progress.check("taskOpened", 1, tasks.length);
    progress.check("outOfLiveCounts", "0 rows", await seenByLiveWorkers(world));
  });
}
