import { runReplayOnce } from "@/server/domain/replay/run-replay-once";
import { inboxLoop } from "./inbox-loop";
import { countReplay } from "./metrics";
import type { Worker } from "./worker-context";

/** Works off approved replays, one job at a time, and takes over those of dead runners. */
export const replayRunner: Worker = (context) =>
  inboxLoop(context, async ({ runtime, consumers, control }) => {
    const options = { leaseMs: context.env.WORKER_LEASE_MS };
    const { claimed, state, ran, expired, outage } = await runReplayOnce(runtime, context.eventLog, consumers, control, options);
    if (state) countReplay(state, ran);
    return { isBusy: claimed > 0 && !outage, outage, counts: { claimed, ran, expired } };
  });
