import { sweepOutbox } from "@/server/domain/outbox/sweep-outbox";
import { countOutboxLeft } from "./metrics";
import { registeredConsumers } from "./registered-consumers";
import { runLoop } from "./run-loop";
import type { Worker } from "./worker-context";

/** Between two parts of a pass, so that removing rows never crowds out the claims of the relay: at most 500 rows a second. */
const paceMs = 1_000;
const betweenPassesMs = 10 * 60_000;

/** Lets published rows leave the outbox after OUTBOX_RETENTION_DAYS, part by part; every ten minutes a pass over all that is old. */
export const outboxRetention: Worker = (context) => {
  const consumers = registeredConsumers(context.env);
  let after: string | null = null;
  let nextPassMs = 0;
  return runLoop(
    {
      status: context.status,
      pollMs: paceMs,
      tick: async () => {
        if (context.clock.monotonicMs() < nextPassMs) return { isBusy: false };
        const limit = 500;
        const retentionDays = context.env.OUTBOX_RETENTION_DAYS;
        const { left, seen, last } = await sweepOutbox(context.db, context.status.workerId, { retentionDays, consumers, after, limit });
        countOutboxLeft(left);
        after = seen < limit ? null : last;
        if (!after) nextPassMs = context.clock.monotonicMs() + betweenPassesMs;
        return { isBusy: false, counts: { left } };
      },
    },
    context,
  );
};
