import type { InboxRuntime } from "@/server/domain/inbox/types";
import type { WorkerContext } from "./worker-context";

/** What the inbox needs of this process. Asks the log who it is. */
export async function inboxRuntime({ db, eventLog, env, clock, random, status }: WorkerContext): Promise<InboxRuntime> {
  return { db, worker: status.workerId, logId: await eventLog.logId(), ring: env.DIGEST_KEYS, clock, random, leaseMs: env.WORKER_LEASE_MS };
}
