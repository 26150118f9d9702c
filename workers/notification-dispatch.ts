import { createCircuit } from "@/server/domain/notifications/circuit";
import { dispatchOnce } from "@/server/domain/notifications/dispatch-once";
import { openProvider } from "@/server/notification-providers/open-provider";
import { countDispatch } from "./metrics";
import { runLoop } from "./run-loop";
import type { Worker } from "./worker-context";

/** Hands messages to the provider: at the start and every second, bounded. */
export const notificationDispatch: Worker = async (context) => {
  const { db, env, clock, random, status } = context;
  const worker = status.workerId;
  const circuit = createCircuit(clock, random);
  const dispatcher = { provider: openProvider(env, db, worker), circuit, clock, worker, random };
  await runLoop(
    {
      status,
      pollMs: 1_000,
      tick: async ({ signal }) => {
        const counts = await dispatchOnce(db, dispatcher, { leaseTtlMs: env.WORKER_LEASE_MS }, signal);
        countDispatch(counts);
        return { isBusy: counts.sent > 0 && circuit.state() === "CLOSED", counts };
      },
    },
    context,
  );
};
