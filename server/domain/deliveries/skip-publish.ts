import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { skipEntry } from "@/server/domain/outbox/skip-entry";
import { runAct } from "./run-act";
import type { ActCall } from "./types";

/** The event is never published; the later ones of its key go on, and consumers that keep order step over it. */
export function skipPublish(deps: CommandDeps, call: ActCall, reason: string): Promise<CommandAnswer> {
  return runAct(deps, call, "skipPublish", async (tx, row) => {
    await skipEntry(tx, row);
    return { act: "PUBLISH_SKIPPED", text: reason };
  });
}
