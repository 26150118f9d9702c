// Every worker process says that it is alive: silence is an alert, not an empty backlog.
import { sql } from "drizzle-orm";
import { check, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { createdAt, instant } from "./columns";

export const workerHeartbeats = pgTable(
  "worker_heartbeats",
  {
    workerId: text().primaryKey(),
    role: text().notNull(),
    startedAt: createdAt(),
    beatAt: instant().notNull(),
    /** RUNNING, PAUSED (what it works with is away) or STOPPED (left cleanly) */
    state: text().notNull(),
    /** Counts since it began, and the code of what is away. */
    details: jsonb().notNull().default({}),
  },
  () => [check("worker_heartbeats_state", sql`state in ('RUNNING', 'PAUSED', 'STOPPED')`)],
);
