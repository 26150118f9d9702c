// npm run workers [role …]: the background work of the product, all roles in one process unless some are named.
import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { collectDefaultMetrics } from "prom-client";
import type { Db } from "@/db/client";
import { assertMigrated } from "@/db/migrate";
import { isDatabaseOutage } from "@/db/tx-error";
import { systemClock } from "@/server/clock";
import { LogError } from "@/server/domain/event-log/port";
import { beat, forgetOldWorkers, heartbeatMs } from "@/server/domain/leases/heartbeat";
import { type WorkerEnv, workerEnv } from "@/server/env";
import { openEventLog, prepareEventLog } from "@/server/event-log/open-event-log";
import { logger } from "@/server/logger";
import { metric } from "@/server/metrics";
import { appointmentConsumers } from "./appointment-consumers";
import { auditSealer } from "./audit-sealer";
import { drillRunner } from "./drill-runner";
import { startHealthServer } from "./health-server";
import { idempotencyRetention } from "./idempotency-retention";
import { gatherGauges } from "./metrics";
import { notificationDispatch } from "./notification-dispatch";
import { notificationReminders } from "./notification-reminders";
import { outboxRelay } from "./outbox-relay";
import { outboxRetention } from "./outbox-retention";
import { planningSolver } from "./planning-solver";
import { openWorkerPools } from "./pools";
import { registeredConsumers } from "./registered-consumers";
import { replayRunner } from "./replay-runner";
import { retryScheduler } from "./retry-scheduler";
import { faultName } from "./run-loop";
import type { Worker } from "./worker-context";
import { WorkerStatus } from "./worker-status";

const workers: Record<string, Worker> = {
  "outbox-relay": outboxRelay,
  "appointment-consumers": appointmentConsumers,
  "retry-scheduler": retryScheduler,
  "replay-runner": replayRunner,
  "planning-solver": planningSolver,
  "notification-dispatch": notificationDispatch,
  "notification-reminders": notificationReminders,
  "idempotency-retention": idempotencyRetention,
  "outbox-retention": outboxRetention,
  "audit-sealer": auditSealer,
  "drill-runner": drillRunner,
};

/** Whoever stops the process kills it after 10 s; what is not finished by then is left to leases. */
const drainMs = 8_000;
const startWaitMs = 30_000;

process.on("uncaughtException", (error) => die(error, "uncaught exception"));
process.on("unhandledRejection", (error) => die(error, "unhandled rejection"));
try {
  await main(rolesOf(process.argv.slice(2)));
} catch (error) {
  // what a person must mend is said in words, without a stack
  process.stderr.write(`workers: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

function rolesOf(names: string[]): string[] {
  const unknown = names.filter((name) => !Object.hasOwn(workers, name));
  if (unknown.length > 0) throw new Error(`no such worker: ${unknown.join(", ")}. There are: ${Object.keys(workers).join(", ")}`);
  return names.length > 0 ? [...new Set(names)] : Object.keys(workers);
}

async function main(roles: string[]): Promise<void> {
  const env = workerEnv();
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // each role listens, and every wait of one
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stopping.abort(signal));
  watchParent(env.DEMO_PARENT_PID, stopping);

  const pools = openWorkerPools(env);
  const db = pools.shared;
  const process_ = `${hostname().replace(/[^\w.-]/g, "-")}:${process.pid}:${randomBytes(2).toString("hex")}`;
  await waitUntilUp(stopping.signal, () => assertMigrated(db));
  await waitUntilUp(stopping.signal, () => prepareEventLog(env, db));
  const eventLog = await openEventLog(env, db);
  const vitalLog = env.EVENT_LOG === "postgres" ? await openEventLog(env, pools.vital) : eventLog; // publishing to it takes a connection
  metric("process_cpu_seconds_total", (register) => collectDefaultMetrics({ register }));

  const statuses = roles.map((role) => new WorkerStatus(role, `${role}:${process_}`, systemClock));
  const gather = () => gatherGauges(db, eventLog, registeredConsumers(env), statuses);
  const server = await startHealthServer(env.WORKER_PORT, statuses, gather);
  const heart = keepBeating(pools.vital, process_, statuses);
  logger.info({ roles, log: env.EVENT_LOG, worker: process_, demoFaults: env.DEMO_FAULTS }, "workers started");

  const shared = { env, clock: systemClock, random: Math.random, signal: stopping.signal };
  const running = statuses.map((status) => {
    const own = pools.of(status.role);
    return (workers[status.role] as Worker)({ ...shared, db: own, eventLog: own === pools.vital ? vitalLog : eventLog, status });
  });
  const fault = await untilStoppedOrFailed(running, stopping.signal);
  const startedMs = systemClock.monotonicMs();
  stopping.abort();
  const left = await drain(running);
  for (const status of statuses) status.stop();
  await heart.stop();
  server?.close();
  await Promise.race([Promise.all([...new Set([eventLog, vitalLog])].map((log) => log.close().catch(() => {}))), sleep(1_000)]);
  await pools.close(1).catch(() => {});
  if (fault) logger.fatal({ err: faultName(fault) }, "a worker ended: the process ends with it");
  logger.info({ durationMs: Math.round(systemClock.monotonicMs() - startedMs), left }, "workers stopped");
  process.exit(fault ? 1 : 0);
}

/** One worker that cannot go on ends the process: half a process looks alive and is not. */
async function untilStoppedOrFailed(running: Promise<void>[], signal: AbortSignal): Promise<unknown> {
  const stopped = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const failed = running.map((worker) =>
    worker.then(
      () => stopped,
      (error: unknown) => error ?? new Error("a worker ended without a reason"),
    ),
  );
  return Promise.race([stopped, ...failed]);
}

/** Answers how many had not ended in time: their leases run out by themselves. */
async function drain(running: Promise<void>[]): Promise<number> {
  let left = running.length;
  const ended = running.map((worker) =>
    worker
      .catch(() => {})
      .then(() => {
        left -= 1;
      }),
  );
  await Promise.race([Promise.all(ended), sleep(drainMs, undefined, { ref: false })]);
  return left;
}

function keepBeating(db: Db, process_: string, statuses: WorkerStatus[]) {
  const send = () =>
    beat(
      db,
      process_,
      statuses.map((status) => status.toBeat()),
    ).catch(() => {}); // silence is what an outage looks like
  let sending: Promise<unknown> = send().then(() => forgetOldWorkers(db, process_).catch(() => {}));
  let isSending = false;
  const timer = setInterval(() => {
    if (isSending) return;
    isSending = true;
    sending = send().finally(() => {
      isSending = false;
    });
  }, heartbeatMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.race([sending.then(send), sleep(1_000)]);
    },
  };
}

/** A database or broker that comes up at the same time is waited for; a wrong schema or topic is not. */
async function waitUntilUp(signal: AbortSignal, check: () => Promise<unknown>): Promise<void> {
  const untilMs = systemClock.monotonicMs() + startWaitMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      const isDown = isDatabaseOutage(error) || (error instanceof LogError && error.code === "UNAVAILABLE");
      if (!isDown || signal.aborted || systemClock.monotonicMs() > untilMs) throw error;
      await sleep(500, undefined, { signal }).catch(() => {});
    }
  }
}

/** The demo's children end with it, however it ended. */
function watchParent(pid: WorkerEnv["DEMO_PARENT_PID"], stopping: AbortController): void {
  if (!pid) return;
  setInterval(() => {
    try {
      process.kill(pid, 0);
    } catch {
      stopping.abort("the parent is gone");
    }
  }, 1_000).unref();
}

/** Nobody knows what state is left behind: leases and fences make a fresh process safe. */
function die(error: unknown, what: string): void {
  logger.fatal({ err: faultName(error) }, what);
  process.exitCode = 1;
  setTimeout(() => process.exit(1), 100); // lets the line be written
}
