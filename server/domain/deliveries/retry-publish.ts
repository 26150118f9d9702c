import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { retryEntry } from "@/server/domain/outbox/retry-entry";
import { runAct } from "./run-act";
import type { ActCall } from "./types";

/** The event that could not be published is tried once more, e.g. after a release that knows its contract. */
export function retryPublish(deps: CommandDeps, call: ActCall, reason: string): Promise<CommandAnswer> {
  return runAct(deps, call, "retryPublish", async (tx, row) => {
    await retryEntry(tx, row);
    return { act: "PUBLISH_RETRIED", text: reason };
  });
}
