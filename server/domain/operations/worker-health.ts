import type { Tx } from "@/db/client";
import { heartbeatMs } from "@/server/domain/leases/heartbeat";
import type { OperationsScope } from "./types";

/** Roles that a deployment needs to run somewhere; one without any heartbeat is missing, not idle. workers/main.ts starts exactly these. */
export const workerRoles = [
  "outbox-relay",
  "appointment-consumers",
  "retry-scheduler",
  "replay-runner",
  "planning-solver",
  "notification-dispatch",
  "notification-reminders",
  "idempotency-retention",
  "outbox-retention",
  "audit-sealer",
  "drill-runner",
] as const;
export type WorkerRole = (typeof workerRoles)[number];

/** Two missed beats and a second: with a read every 2.5 s a dead worker stands on the screen within 15 s. */
export const silentAfterMs = 2 * heartbeatMs + 1_000;

export type RoleHealth = {
  role: WorkerRole;
  /** RUNNING · PAUSED: what it works with is away · STOPPED: left cleanly, nobody took over · SILENT: no beat for too long · NEVER: no beat at all */
  state: "RUNNING" | "PAUSED" | "STOPPED" | "SILENT" | "NEVER";
  /** Processes that beat. */
  processes: number;
  lastBeatAt: string | null;
  silentSeconds: number | null;
  /** Code of what is away, while PAUSED. */
  outage: string | null;
};
/** `oldestSeconds` by the database's clock; null: nothing waits. */
export type Waiting = { count: number; oldestSeconds: number | null };
export type WorkerHealth = { roles: RoleHealth[]; toPublish: Waiting; toConsume: Waiting; toSend: Waiting; asOf: string };

/**
 * Heartbeats of every role, and what waits for them in the reader's clinics. A worker that died is SILENT however empty the queues look: what it
 * would drain may not have arrived yet. Two statements.
 */
export async function workerHealth(tx: Tx, scope: OperationsScope): Promise<WorkerHealth> {
  const roles = await roleHealth(tx);
  const within = tx.sql`tenant_group_id = ${scope.tenantGroupId} and clinic_id = any (${[...scope.clinicIds]}::uuid[])`;
  const [waits] = await tx.sql<Waits[]>`
    select publish.count as publish, publish.oldest as publish_oldest, consume.count as consume, consume.oldest as consume_oldest,
      send.count as send, send.oldest as send_oldest, clock_timestamp() as as_of
    from
      (select count(*)::int as count, extract(epoch from clock_timestamp() - min(occurred_at))::float8 as oldest
        from outbox where ${within} and state in ('PENDING', 'CLAIMED')) publish,
      (select count(*)::int as count, extract(epoch from clock_timestamp() - min(received_at))::float8 as oldest
        from inbox where ${within} and state in ('RETRYABLE', 'PROCESSING')) consume,
      (select count(*)::int as count, extract(epoch from clock_timestamp() - min(created_at))::float8 as oldest
        from notification_intents where ${within} and state in ('PENDING', 'SENDING', 'RETRY_WAIT')) send`;
  if (!waits) throw new Error("an aggregate without a row");
  return {
    roles,
    toPublish: { count: waits.publish, oldestSeconds: waits.publish_oldest },
    toConsume: { count: waits.consume, oldestSeconds: waits.consume_oldest },
    toSend: { count: waits.send, oldestSeconds: waits.send_oldest },
    asOf: waits.as_of,
  };
}

/** Every role by its heartbeats; nothing of a tenant. One statement. */
export async function roleHealth(tx: Tx): Promise<RoleHealth[]> {
  const beats = await tx.sql<Beat[]>`
    select role, state, beat_at, extract(epoch from clock_timestamp() - beat_at)::float8 as age_seconds, details ->> 'outage' as outage
    from worker_heartbeats
    where beat_at > clock_timestamp() - interval '7 days'
    order by beat_at desc`;
  return workerRoles.map((role) =>
    healthOf(
      role,
      beats.filter((beat) => beat.role === role),
    ),
  );
}

type Beat = { role: string; state: string; beat_at: string; age_seconds: number; outage: string | null };
type Waits = {
  publish: number;
  publish_oldest: number | null;
  consume: number;
  consume_oldest: number | null;
  send: number;
  send_oldest: number | null;
  as_of: string;
};

/** The best of the processes that beat speaks for the role; without one, the youngest beat says how the role ended. */
function healthOf(role: WorkerRole, beats: Beat[]): RoleHealth {
  const alive = beats.filter((beat) => beat.state !== "STOPPED" && beat.age_seconds * 1000 <= silentAfterMs);
  const speaker = alive.find((beat) => beat.state === "RUNNING") ?? alive[0] ?? beats[0];
  if (!speaker) return { role, state: "NEVER", processes: 0, lastBeatAt: null, silentSeconds: null, outage: null };
  const lives = alive.length > 0;
  return {
    role,
    state: lives ? (speaker.state as "RUNNING" | "PAUSED") : speaker.state === "STOPPED" ? "STOPPED" : "SILENT",
    processes: alive.length,
    lastBeatAt: speaker.beat_at,
    silentSeconds: Math.max(0, Math.round(speaker.age_seconds)),
    outage: lives && speaker.state === "PAUSED" ? speaker.outage : null,
  };
}
