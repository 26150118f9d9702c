import { quarantine } from "@/server/domain/inbox/types";
import { previewReplay } from "@/server/domain/replay/preview-replay";
import type { ReplayRequest } from "@/server/domain/replay/read-request";
import type { ReplayBounds } from "@/server/domain/replay/types";
import { newUuid } from "@/server/ids";
import type { Steps } from "./drill-progress";
import { type DrillWorld, drillConsumer, drillConsumerId } from "./drill-world";
import { eventIdOf, syntheticEvent } from "./synthetic-event";
import { operatorOf } from "./synthetic-scope";

export const drillBounds: ReplayBounds = { canarySize: 1, ratePerSecond: 50, maxSeconds: 120, stopSharePercent: 100 };
export const drillReplayReason = "Drill: the handler accepts them now";
const stopped = "INVALID_PAYLOAD";

/** What both drills of replays begin with: events of visits of their own that the consumer has set aside. Answers their ids. */
export async function publishAndStop(world: DrillWorld, progress: Steps<"publish" | "stopAll">, count: number): Promise<string[]> {
  const records = Array.from({ length: count }, () => syntheticEvent(world.scope, newUuid(), 1));
  await progress.step("publish", async () => {
    await world.publish(records);
    return { facts: { events: count } };
  });
  await progress.step("stopAll", async () => {
    await world.consume(drillConsumer(() => quarantine(stopped)));
    return { facts: { quarantined: count } };
  });
  return records.map(eventIdOf);
}

export const replayDeps = (world: DrillWorld) => ({ db: world.db, eventLog: world.log, ring: world.deps.ring });
export const drillOperator = (world: DrillWorld) => operatorOf(world.scope, world.deps.worker);

/** Previews all that has stopped. Throws when nothing was bound. */
export async function previewAll(world: DrillWorld, requestId = newUuid()): Promise<ReplayRequest> {
  const selection = { kind: "group", consumer: drillConsumerId, reasonCode: stopped, recordsMax: 100 } as const;
  const { request } = await previewReplay(replayDeps(world), drillOperator(world), {
    clinicId: world.scope.clinicId,
    requestId,
    selection,
  });
  if (!request) throw new Error("the drill's preview bound nothing");
  return request;
}
