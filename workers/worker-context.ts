import type { Db } from "@/db/client";
import type { Clock } from "@/server/clock";
import type { EventLog } from "@/server/domain/event-log/port";
import type { WorkerEnv } from "@/server/env";
import type { WorkerStatus } from "./worker-status";

/** What main.ts hands to every worker. */
export type WorkerContext = {
  db: Db;
  eventLog: EventLog;
  env: WorkerEnv;
  clock: Clock;
  random: () => number;
  /** Aborted when the process is told to stop: take nothing new, finish or give back what is held. */
  signal: AbortSignal;
  status: WorkerStatus;
};

/** Runs until `signal` is aborted. Throws when the process must end. */
export type Worker = (context: WorkerContext) => Promise<void>;
