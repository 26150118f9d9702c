import { retryOnce } from "@/server/domain/inbox/retry-once";
import { inboxLoop } from "./inbox-loop";
import { countInbox } from "./metrics";
import type { Worker } from "./worker-context";

/** Attempts what is due again and takes over what dead workers left. */
export const retryScheduler: Worker = (context) =>
  inboxLoop(context, async ({ runtime, consumers, control }) => {
    const startedMs = context.clock.monotonicMs();
    const result = await retryOnce(runtime, context.eventLog, consumers, control);
    if (result.due > 0) countInbox("retry-scheduler", result, context.clock.monotonicMs() - startedMs);
    const { due, released, processed, retryable, quarantined, outage } = result;
    return { isBusy: processed > 0 || released > 0, outage, counts: { due, processed, retryable, quarantined } };
  });
