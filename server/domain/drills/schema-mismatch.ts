import { done } from "@/server/domain/inbox/types";
import { newUuid } from "@/server/ids";
import type { DrillProgress } from "./drill-progress";
import { type DrillWorld, drillConsumer } from "./drill-world";
import { deliveriesOf, effectsOf, rowOf, seenByLiveWorkers } from "./questions";
import { eventIdOf, syntheticEvent } from "./synthetic-event";

/** An event in a schema that this release does not know is set aside at once, without an attempt, and a copy of it changes nothing. */
export async function schemaMismatch(world: DrillWorld, progress: DrillProgress<"schema-mismatch">): Promise<void> {
  const { scope } = world;
  const [visit, otherVisit] = [newUuid(), newUuid()];
  const newer = syntheticEvent(scope, visit, 1, { schemaVersion: 9_999 });
  const records = [newer, syntheticEvent(scope, otherVisit, 1), syntheticEvent(scope, visit, 2)];
  const [unread = "", neighbour = "", successor = ""] = records.map(eventIdOf);
  const asked: string[] = [];
  const consumer = drillConsumer((event) => {
    asked.push(event.eventId);
    return done;
  });

  await progress.step("publish", async () => {
    await world.publish(records);
    return { facts: { events: records.length, schema: 9_999 } };
  });
  await progress.step("consume", () => world.consume(consumer));
  const before = await rowOf(world, unread);
  await progress.step("redeliver", async () => {
    await world.publish([newer]);
    await world.consume(consumer);
  });
  await progress.step("checkAll", async () => {
    const row = await rowOf(world, unread);
    const behind = await rowOf(world, successor);
    progress.check("stoppedAtOnce", "QUARANTINED UNSUPPORTED_SCHEMA 0, then the same", `${seen(before)}, then ${sameOr(before, row)}`);
    progress.check("handlerNotAsked", neighbour, [...new Set(asked)].join(" "));
    progress.check("neighbourDoneOnce", "1 PROCESSED", `${await effectsOf(world, [neighbour])} ${await deliveriesOf(world, neighbour)}`);
    progress.check("successorWaits", "RETRYABLE BLOCKED_BY 0", seen(behind));
    progress.check("outOfLiveCounts", "0 rows", await seenByLiveWorkers(world));
  });
}

type Row = Awaited<ReturnType<typeof rowOf>>;
const seen = (row: Row) => `${row.state} ${row.reason} ${row.attempts}`;
const sameOr = (before: Row, row: Row) => (seen(before) === seen(row) ? "the same" : seen(row));
