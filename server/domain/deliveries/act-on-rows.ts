import { z } from "zod";
import { AppError, problemBody } from "@/server/app-error";
import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { assignTask } from "./assign-task";
import { keepQuarantined } from "./keep-quarantined";
import { type ActCall, type SeenRow, seenRow, words } from "./types";

/** Selected rows are assigned or kept. Nothing else: they are never retried or replayed in one go. */
export const bulkAct = z.discriminatedUnion("act", [
  z.object({ act: z.literal("assign") }),
  z.object({ act: z.literal("keepQuarantined"), reason: words }),
]);
export type BulkAct = z.infer<typeof bulkAct>;
export const bulkRowsMax = 200;
export const bulkRows = z.array(seenRow).min(1).max(bulkRowsMax);

export type RowResult = { id: string; status: number; body: Record<string, unknown> };

/**
 * The same act on each row in a transaction of its own, under a key made of the caller's and the row: a call that is sent again goes on where the
 * first one ended. One answer for each row, in their order; a row that is gone is its answer too.
 */
export async function actOnRows(deps: CommandDeps, call: Omit<ActCall, "row">, rows: SeenRow[], act: BulkAct): Promise<RowResult[]> {
  const results: RowResult[] = [];
  for (const row of rows) {
    const one: ActCall = { ...call, row, key: `${call.key}:${row.id}`, body: act.act === "assign" ? {} : { reason: act.reason } };
    const answer = await (act.act === "assign" ? assignTask(deps, one) : keepQuarantined(deps, one, act.reason)).catch(goneOrThrow);
    results.push({ id: row.id, status: answer.status, body: JSON.parse(answer.body) });
  }
  return results;
}

function goneOrThrow(error: unknown): Pick<CommandAnswer, "status" | "body"> {
  if (error instanceof AppError && error.code === "not-found") return { status: error.status, body: JSON.stringify(problemBody(error)) };
  throw error;
}
