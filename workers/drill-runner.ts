import { openDb } from "@/db/client";
import { removeOldScopes } from "@/server/domain/drills/remove-old-scopes";
import { runDrillOnce } from "@/server/domain/drills/run-drill-once";
import { scopedUrl } from "@/server/domain/drills/synthetic-scope";
import { runLoop } from "./run-loop";
import type { Worker } from "./worker-context";

const removeEveryMs = 60_000;

/** Carries out drills that STAFF have asked for, one at a time, in synthetic scopes, and removes what they left a day later. */
export const drillRunner: Worker = (context) => {
  const { db, env, status, clock } = context;
  const deps = {
    live: db,
    openScopeDb: (scope: Parameters<typeof scopedUrl>[1]) =>
      openDb(scopedUrl(env.WORKER_DATABASE_URL, scope), { max: 3, prepare: env.DATABASE_PREPARE, applicationName: "drill" }),
    ring: env.DIGEST_KEYS,
    clock,
    worker: status.workerId,
    signal: context.signal,
  };
  let removedMs = Number.NEGATIVE_INFINITY;
  return runLoop(
    {
      status,
      pollMs: 1_000,
      tick: async () => {
        const { claimed } = await runDrillOnce(deps, { heartbeat: () => status.alive() });
        const isDue = clock.monotonicMs() - removedMs > removeEveryMs;
        const removed = isDue ? await removeOldScopes(db, status.workerId) : 0;
        if (isDue) removedMs = clock.monotonicMs();
        return { isBusy: claimed > 0, counts: { claimed, removed } };
      },
    },
    context,
  );
};
