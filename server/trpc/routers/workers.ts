import { withRead } from "@/db/client";
import { type ConsumerLag, consumerLag } from "@/server/domain/operations/consumer-lag";
import { type DeliveryConsumer, deliveryConsumers } from "@/server/domain/operations/delivery-consumers";
import { workerHealth } from "@/server/domain/operations/worker-health";
import { webEventLog } from "@/server/http/web-event-log";
import { router, staffProcedure } from "../trpc";

const lagDeadlineMs = 1_500;
const lagKeptMs = 2_000;
/** Lag is the same for every reader: however many screens are open, the log is asked once in two seconds for a set of consumers. */
const kept = new Map<string, { atMs: number; lag: Promise<ConsumerLag[]> }>();

/** Whether the background work lives, and what waits for it. */
export const workersRouter = router({
  health: staffProcedure.query(async ({ ctx: { db, actor, scope, clock } }) => {
    const [health, consumers] = await withRead(
      db,
      actor,
      async (tx) => [await workerHealth(tx, scope), await deliveryConsumers(tx, scope)] as const,
    );
    return { ...health, lag: await lagOf(consumers, clock.monotonicMs()) };
  }),
});

function lagOf(consumers: DeliveryConsumer[], nowMs: number): Promise<ConsumerLag[]> {
  const name = consumers.map(({ consumer }) => consumer).join();
  const last = kept.get(name);
  if (last && nowMs - last.atMs < lagKeptMs) return last.lag;
  const unknown = consumers.map(({ consumer }) => ({ consumer, behind: null }));
  const lag = webEventLog().then(
    (log) => consumerLag(log, consumers, lagDeadlineMs),
    () => unknown,
  );
  kept.clear();
  kept.set(name, { atMs: nowMs, lag });
  return lag;
}
