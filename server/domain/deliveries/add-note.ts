import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { runAct } from "./run-act";
import type { ActCall } from "./types";

/** Leaves a note on the row; changes nothing else. */
export function addNote(deps: CommandDeps, call: ActCall, text: string): Promise<CommandAnswer> {
  return runAct(deps, call, "addNote", async () => ({ act: "NOTED", text }));
}
