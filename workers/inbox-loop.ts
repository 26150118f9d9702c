import type { InboxRuntime, LogicalConsumer } from "@/server/domain/inbox/types";
import type { Control } from "@/server/domain/inbox/with-patience";
import { inboxRuntime } from "./inbox-runtime";
import { registeredConsumers } from "./registered-consumers";
import { runLoop, type Tick } from "./run-loop";
import type { WorkerContext } from "./worker-context";

export type InboxWork = { runtime: InboxRuntime; consumers: readonly LogicalConsumer[]; control: Control };

/** Bounded pieces of work on rows of the inbox, one after another: the runtime is there once the log answers, and a wait for the database is shown as one. */
export async function inboxLoop(context: WorkerContext, piece: (work: InboxWork) => Promise<Tick>): Promise<void> {
  const { env, status } = context;
  const consumers = registeredConsumers(env);
  const heartbeat = async () => status.alive();
  const onOutage = (isOut: boolean) => (isOut ? status.pause("DATABASE") : status.progress());
  let runtime: InboxRuntime | undefined;
  await runLoop(
    {
      status,
      pollMs: 500,
      tick: async ({ signal }) => {
        try {
          runtime ??= await inboxRuntime(context);
        } catch {
          return { isBusy: false, outage: "UNAVAILABLE" };
        }
        return piece({ runtime, consumers, control: { signal, heartbeat, onOutage } });
      },
    },
    context,
  );
}
