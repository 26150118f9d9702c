// What the product does between an outbox entry and its effect when the log is Kafka: shared by the process that is cut and by the recovery after it.
import { setTimeout as sleep } from "node:timers/promises";
import { type Db, withRead } from "@/db/client";
import { systemClock } from "@/server/clock";
import type { Consumption, EventLog } from "@/server/domain/event-log/port";
import { processBatch } from "@/server/domain/inbox/process-batch";
import { retryOnce } from "@/server/domain/inbox/retry-once";
import type { InboxRuntime, LogicalConsumer } from "@/server/domain/inbox/types";
import { relayOnce } from "@/server/domain/outbox/relay-once";
import { logicalConsumers } from "@/workers/logical-consumers";
import { digestRing } from "./commands";

export const dailyLoad = logicalConsumers.find(({ id }) => id === "daily-load-v1") as LogicalConsumer;
export const topic = "appointment.v1";
/** A dead process's place in the group is free again after the shortest session that the broker allows. */
export const sessionTimeoutMs = 6_000;

/** Relays, then reads as the group until each event has its effect and the group stands at the end of the log. @throws Error at the deadline */
export async function workOff(worker: Db, log: EventLog, deadlineMs: number, isRecovery = false): Promise<void> {
  const untilMs = performance.now() + deadlineMs;
  const until = async (what: string, holds: () => Promise<boolean>) => {
    while (!(await holds().catch(() => false))) {
      if (performance.now() > untilMs) throw new Error(`not ${what} in time`);
      await sleep(50);
    }
  };
  const options = { worker: "crash-relay", clock: systemClock, random: Math.random };
  await until("published", async () => {
    await relayOnce(worker, log, options);
    return (await left(worker, "outbox", "state <> 'PUBLISHED'")) === 0;
  });
  const runtime = await runtimeOf(worker, log);
  const start = () =>
    log.consume(dailyLoad.id, [topic], async (batch, control) => {
      await processBatch(runtime, dailyLoad, batch, control);
    });
  let consumption: Consumption | undefined;
  await until("started", async () => {
    consumption = await start(); // as the worker does: a log that is not there yet is waited for
    return true;
  });
  try {
    await until("consumed", async () => {
      const control = { signal: AbortSignal.timeout(10_000), heartbeat: async () => {} };
      if (isRecovery) await retryOnce(runtime, log, [dailyLoad], control);
      return (await left(worker, "inbox", "state <> 'PROCESSED'")) === 0 && (await isAtTheEnd(log));
    });
  } finally {
    await consumption?.stop(5_000);
  }
}

const runtimeOf = async (db: Db, log: EventLog): Promise<InboxRuntime> => ({
  db,
  worker: "crash-consumer",
  logId: await log.logId(),
  ring: digestRing,
  clock: systemClock,
  random: Math.random,
});

async function left(db: Db, table: "outbox" | "inbox", where: string): Promise<number> {
  const [row] = await withRead(db, { worker: "crash-look" }, (tx) =>
    tx.sql.unsafe(`select count(*)::int as n from ${table} where ${where}`),
  );
  return row?.n;
}

async function isAtTheEnd(log: EventLog): Promise<boolean> {
  const stored = new Map((await log.groupOffsets(dailyLoad.id, topic)).map(({ partition, offset }) => [partition, offset]));
  return (await log.watermarks(topic)).every(({ partition, low, high }) => (stored.get(partition) ?? low) === high);
}
