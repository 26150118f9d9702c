import type { Tx } from "@/db/client";

/** Tables whose rows are updated or deleted as work goes on: what a claim or a sweep reads past is dead rows. Each is vacuumed early (migrations 0001, 0004, 0017). */
export const queueTables = [
  "outbox",
  "inbox",
  "inbox_sequences",
  "idempotency_keys",
  "notification_intents",
  "reminders",
  "replay_requests",
  "replay_items",
  "delivery_tasks",
  "delivery_groups",
  "planning_runs",
  "log_group_offsets",
] as const;

export type VacuumFacts = {
  /** By the statistics of the server, which are a moment old. */
  deadRows: { table: string; rows: number }[];
  /** How far back the oldest transaction of this database keeps dead rows, in transactions and in seconds since it began; null: not to be seen. */
  xminAge: number | null;
  oldestTransactionSeconds: number | null;
};

/** What makes a queue slow although it is short: dead rows, and the transaction that keeps them from being removed. Two statements. */
export async function vacuumFacts(tx: Tx): Promise<VacuumFacts> {
  const deadRows = await tx.sql<VacuumFacts["deadRows"]>`
    select relname as table, n_dead_tup::float8 as rows
    from pg_stat_user_tables
    where schemaname = 'public' and relname = any (${[...queueTables]}::text[])`;
  const [horizon] = await tx.sql<{ xmin_age: number | null; oldest_seconds: number | null }[]>`
    select xmin_age::float8 as xmin_age, oldest_seconds from vacuum_horizon()`;
  return {
    deadRows: [...deadRows],
    xminAge: horizon?.xmin_age ?? null,
    oldestTransactionSeconds: horizon?.oldest_seconds ?? null,
  };
}
