import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import type { TrpcContext } from "./trpc";

/** What is stored under a key: ids, states and times, or a problem. */
export type AnswerBody = Record<string, unknown> & { code?: string };

/** What a keyed command needs of this process. */
export const depsOf = ({ db, env }: Pick<TrpcContext, "db" | "env">): CommandDeps => ({
  db,
  digestKeys: env.DIGEST_KEYS,
  retentionHours: env.IDEMPOTENCY_RETENTION_HOURS,
  waitMs: env.IDEMPOTENCY_WAIT_MS,
  reusedStatus: env.IDEMPOTENCY_REUSED_STATUS,
});

/** The stored answer as it is; a stored refusal is an answer too, and its status says so. */
export const shown = ({ status, body, commandId, replayed, expiresAt }: CommandAnswer) => ({
  status,
  body: JSON.parse(body) as AnswerBody,
  commandId,
  replayed,
  expiresAt,
});
