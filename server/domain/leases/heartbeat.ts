import { type Db, withTx } from "@/db/client";

/** RUNNING · PAUSED: what it works with is away · STOPPED: left cleanly */
export type WorkerState = "RUNNING" | "PAUSED" | "STOPPED";
export type Beat = { workerId: string; role: string; state: WorkerState; details: Record<string, string | number> };

/** How often each worker beats. How much silence is an alert: silentAfterMs of server/domain/operations. */
export const heartbeatMs = 5_000;

/** Says that workers of this process live, in one statement. Silence is an alert, not an empty backlog. */
export async function beat(db: Db, worker: string, beats: Beat[]): Promise<void> {
  await withTx(
    db,
    { worker },
    (tx) => tx.sql`
      insert into worker_heartbeats (worker_id, role, beat_at, state, details)
      select worker_id, role, clock_timestamp(), state, details::jsonb
      from unnest(
        ${beats.map((one) => one.workerId)}::text[],
        ${beats.map((one) => one.role)}::text[],
        ${beats.map((one) => one.state)}::text[],
        ${beats.map((one) => JSON.stringify(one.details))}::text[]
      ) as b (worker_id, role, state, details)
      on conflict (worker_id) do update
      set beat_at = excluded.beat_at, state = excluded.state, details = excluded.details`,
    { deadlineMs: heartbeatMs },
  );
}

/** Removes what workers of the past left: a day after a clean end, a week after silence. */
export async function forgetOldWorkers(db: Db, worker: string): Promise<number> {
  const rows = await withTx(
    db,
    { worker },
    (tx) => tx.sql`
      delete from worker_heartbeats
      where state = 'STOPPED' and beat_at < clock_timestamp() - interval '1 day'
         or beat_at < clock_timestamp() - interval '7 days'
      returning worker_id`,
  );
  return rows.length;
}
