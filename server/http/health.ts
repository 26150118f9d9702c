import { withRead } from "@/db/client";
import { assertMigrated } from "@/db/migrate";
import { roleHealth } from "@/server/domain/operations/worker-health";
import type { HttpCall } from "./http-handler";
import { stopSignal } from "./shutdown";

/** The process answers: nothing else is asked, so that an outage of the database restarts nobody. */
export async function live(): Promise<Response> {
  return Response.json({ status: "live" });
}

/**
 * 200 when this process can do its work: database reachable, its version, not stopping. Workers only degrade it: while a role is silent or was never
 * started, bookings are still taken and what it drains waits. Names roles and ages (seconds), nothing of a tenant.
 */
export async function ready({ db }: Pick<HttpCall, "db">): Promise<Response> {
  if (stopSignal().aborted) return Response.json({ status: "stopping" }, { status: 503 });
  const database = await stateOf(() => withRead(db, {}, (tx) => tx.sql`select 1`, { deadlineMs: 2_000 }));
  const migrations = database === "ok" ? await stateOf(() => assertMigrated(db)) : "unknown";
  const roles = database === "ok" ? await withRead(db, {}, roleHealth, { deadlineMs: 2_000 }).catch(() => []) : [];
  const isReady = database === "ok" && migrations === "ok";
  const isWhole = roles.length > 0 && roles.every(({ state }) => state === "RUNNING");
  const status = !isReady ? "unavailable" : isWhole ? "ready" : "degraded";
  const workers = roles.map(({ role, state, silentSeconds }) => ({ role, state, silentSeconds }));
  return Response.json({ status, database, migrations, workers }, { status: isReady ? 200 : 503 });
}

async function stateOf(check: () => Promise<unknown>): Promise<"ok" | "failed"> {
  try {
    await check();
    return "ok";
  } catch {
    return "failed";
  }
}
