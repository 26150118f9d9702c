import type { Db } from "@/db/client";
import type { CommandDeps } from "@/server/domain/idempotency/types";
import type { WebEnv } from "@/server/env";

/** What every command of this process works with, over HTTP and tRPC alike. */
export const commandDeps = (db: Db, env: WebEnv): CommandDeps => ({
  db,
  digestKeys: env.DIGEST_KEYS,
  retentionHours: env.IDEMPOTENCY_RETENTION_HOURS,
  waitMs: env.IDEMPOTENCY_WAIT_MS,
  reusedStatus: env.IDEMPOTENCY_REUSED_STATUS,
});
