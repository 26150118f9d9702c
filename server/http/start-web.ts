import { collectDefaultMetrics } from "prom-client";
import { closeDb } from "@/db/client";
import { assertMigrated } from "@/db/migrate";
import { webEnv } from "@/server/env";
import { logger } from "@/server/logger";
import { metric, metricsRegistry } from "@/server/metrics";
import { faultOf } from "./fault-of";
import { drain, watchRequests } from "./shutdown";
import { webDb } from "./web-db";

/** A supervisor kills after 10 s; what is not answered by then is answered by the retry under the same key. */
const drainMs = 8_000;

/** What the web process does before its first request: checks, then handlers for its end. Ends the process with a readable reason when it cannot run. */
export async function startWeb(): Promise<void> {
  process.on("uncaughtException", (error) => die(error, "uncaught exception"));
  process.on("unhandledRejection", (error) => isAbort(error) || die(error, "unhandled rejection"));
  try {
    webEnv();
    await assertMigrated(webDb());
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message || (error as { code?: string }).code : error}\n`);
    process.exit(1);
  }
  metric("process_cpu_seconds_total", (register) => collectDefaultMetrics({ register }));
  watchRequests();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop(signal));
  logger.info({ metrics: metricsRegistry().getMetricsAsArray().length }, "web started");
}

/** With NEXT_MANUAL_SIG_HANDLE=1 this is the only handler; without it Next's own waits for open answers too, and streams are ended all the same. */
async function stop(signal: string): Promise<void> {
  const startedMs = performance.now();
  const open = await drain(drainMs);
  await closeDb(webDb(), 1).catch(() => {});
  logger.info({ signal, open, durationMs: Math.round(performance.now() - startedMs) }, "web stopped");
  process.exit(0);
}

/** Nobody knows what state is left behind: a supervisor starts a new process, and callers retry under their keys. */
function die(error: unknown, what: string): void {
  logger.fatal({ err: faultOf(error) }, what);
  process.exitCode = 1;
  setTimeout(() => process.exit(1), 100); // lets the line be written
}

/** A reader who leaves in the middle of a page: Next lets this rejection escape, and it is nobody's fault. */
const isAbort = (error: unknown): boolean => error instanceof Error && ["AbortError", "ResponseAborted"].includes(error.name);
