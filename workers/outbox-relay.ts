import { assertLeaseLongEnough, relayOnce } from "@/server/domain/outbox/relay-once";
import { countRelay } from "./metrics";
import { runLoop } from "./run-loop";
import type { Worker } from "./worker-context";

/** Drains the outbox to the event log. Several may run: leases and fences keep them apart. */
export const outboxRelay: Worker = (context) => {
  const { db, eventLog, env, status } = context;
  const leaseMs = env.WORKER_LEASE_MS;
  assertLeaseLongEnough(leaseMs);
  return runLoop(
    {
      status,
      pollMs: env.RELAY_POLL_MS,
      tick: async ({ signal, isProbe }) => {
        const limit = isProbe ? 1 : 100; // after an outage one entry asks whether the log is back
        const result = await relayOnce(db, eventLog, {
          worker: status.workerId,
          clock: context.clock,
          random: context.random,
          signal,
          limit,
          leaseMs,
        });
        countRelay(result);
        const { claimed, published, failed, released, outage } = result;
        return { isBusy: claimed > 0 && published > 0, outage, counts: { claimed, published, failed, released } };
      },
    },
    context,
  );
};
