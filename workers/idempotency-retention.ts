import { sweepOnce } from "@/server/domain/idempotency/sweep-once";
import { runLoop } from "./run-loop";
import type { Worker } from "./worker-context";

/** Removes idempotency keys past their expiry, a bounded number at a time. */
export const idempotencyRetention: Worker = (context) =>
  runLoop(
    {
      status: context.status,
      pollMs: 60_000,
      tick: async () => {
        const removed = await sweepOnce(context.db, context.status.workerId);
        return { isBusy: removed > 0, counts: { removed } };
      },
    },
    context,
  );
