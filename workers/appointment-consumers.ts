import { setTimeout as sleep } from "node:timers/promises";
import { type BatchControl, type Consumption, LogError, type LogRecord } from "@/server/domain/event-log/port";
import { assertMayConsume } from "@/server/domain/inbox/assert-may-consume";
import { assertNotMovedBack } from "@/server/domain/inbox/assert-not-moved-back";
import { processBatch } from "@/server/domain/inbox/process-batch";
import type { InboxRuntime, LogicalConsumer } from "@/server/domain/inbox/types";
import { isApprovedReplay } from "@/server/domain/replay/is-approved";
import { logger } from "@/server/logger";
import { inboxRuntime } from "./inbox-runtime";
import { countInbox, countOffsetJumps } from "./metrics";
import { logJump, offsetWatch } from "./offset-watch";
import { registeredConsumers } from "./registered-consumers";
import type { Worker, WorkerContext } from "./worker-context";

/** A stop must leave time for the heartbeat and the pool inside the 10 s of the process. */
const stopMs = 6_000;

/** Reads the log for every logical consumer, each in its own group. Ends with an error when a consumption died: a fresh process takes over. */
export const appointmentConsumers: Worker = async (context) => {
  const runtime = await untilLogAnswers(context, () => inboxRuntime(context));
  if (!runtime) return;
  const consumers = registeredConsumers(context.env);
  if (context.env.ACCEPT_LOG_RESET) logger.warn({ code: "ACCEPT_LOG_RESET" }, "starting whatever the groups have stored");
  else {
    await untilLogAnswers(context, () => assertMayConsume(context.db, context.status.workerId, context.eventLog, consumers));
    await untilLogAnswers(context, () => assertOffsets(context, consumers));
  }

  const consumptions: Consumption[] = [];
  try {
    for (const consumer of consumers) {
      const started = await untilLogAnswers(context, () => start(context, runtime, consumer));
      if (started) consumptions.push(started);
    }
    await untilStoppedOrCrashed(context, consumptions);
  } finally {
    await Promise.all(consumptions.map((consumption) => consumption.stop(stopMs)));
  }
};

/** Offsets that were moved back by hand are read only under a replay that people approved. */
async function assertOffsets({ db, status, eventLog, env }: WorkerContext, consumers: readonly LogicalConsumer[]): Promise<void> {
  const requestId = env.ACCEPT_OFFSETS_BACK;
  const ids = consumers.map(({ id }) => id);
  if (requestId && (await isApprovedReplay(db, status.workerId, requestId, ids)))
    logger.warn({ code: "ACCEPT_OFFSETS_BACK", requestId }, "groups may stand far before what is processed");
  else await assertNotMovedBack(db, status.workerId, eventLog, consumers);
}

function start(context: WorkerContext, runtime: InboxRuntime, consumer: LogicalConsumer): Promise<Consumption> {
  const { status, eventLog } = context;
  countOffsetJumps(consumer.id, 0);
  const watchOffsets = offsetWatch(consumer.id, eventLog, (jump) => {
    logJump(jump);
    countOffsetJumps(consumer.id, 1);
  });
  const onBatch = async (batch: LogRecord[], control: BatchControl) => {
    await watchOffsets(batch);
    const startedMs = context.clock.monotonicMs();
    const heartbeat = async () => {
      status.alive();
      await control.heartbeat();
    };
    const onOutage = (isOut: boolean) => (isOut ? status.pause("DATABASE") : status.progress());
    const counts = await processBatch(runtime, consumer, batch, { signal: control.signal, heartbeat, onOutage });
    countInbox(consumer.id, counts, context.clock.monotonicMs() - startedMs);
    status.progress({
      received: counts.received,
      processed: counts.processed,
      quarantined: counts.quarantined,
      retryable: counts.retryable,
    });
  };
  return eventLog.consume(consumer.id, [...consumer.topics], onBatch);
}

/** Progress is the polls that the log answered: a consumption that hangs makes none. */
async function untilStoppedOrCrashed({ signal, status, clock }: WorkerContext, consumptions: Consumption[]): Promise<void> {
  const ended = Promise.all(consumptions.map((consumption) => consumption.ended));
  let isOver = false;
  const watch = async () => {
    while (!isOver && !signal.aborted) {
      const oldest = Math.min(...consumptions.map((consumption) => consumption.lastPollMs()));
      if (clock.monotonicMs() - oldest < 10_000) status.progress();
      await sleep(1_000, undefined, { signal }).catch(() => {});
    }
  };
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const watching = watch();
  try {
    await Promise.race([ended, stopped]);
  } finally {
    isOver = true;
    await Promise.race([watching, sleep(0)]);
  }
}

/** At the start the log may not be up yet: waits for it, and answers undefined when told to stop first. */
async function untilLogAnswers<T>({ signal, status, random }: WorkerContext, ask: () => Promise<T>): Promise<T | undefined> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof LogError) || error.code !== "UNAVAILABLE") throw error;
      status.pause(error.code);
      await sleep((0.75 + random() / 2) * Math.min(500 * 2 ** failures, 15_000), undefined, { signal }).catch(() => {});
    }
  }
  return undefined;
}
