import { Temporal } from "temporal-polyfill";
import { AppError } from "@/server/app-error";
import { toInstant, toIso } from "@/server/clock";
import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { moveNextAttempt } from "@/server/domain/inbox/move-next-attempt";
import { runAct } from "./run-act";
import type { ActCall, ScheduleRetry } from "./types";

/** Beyond that a row would be forgotten, and its record might leave the log. */
export const retryHoursMax = 24;

/** Sets when a waiting row is tried next; the scheduler makes the attempt, and counts it. Throws (stored) subject-invalid for a time out of bounds. */
export function scheduleRetry(deps: CommandDeps, call: ActCall, { at }: ScheduleRetry): Promise<CommandAnswer> {
  return runAct(deps, call, "scheduleRetry", async (tx, row) => {
    if (at) assertWithinBounds(Temporal.Instant.from(at), toInstant(row.now));
    const next = await moveNextAttempt(tx, row, at ?? null);
    return { act: "RETRY_SCHEDULED", forAt: toIso(next) };
  });
}

function assertWithinBounds(at: Temporal.Instant, now: Temporal.Instant): void {
  if (Temporal.Instant.compare(at, now) < 0) throw new AppError("subject-invalid", "That time is over.");
  if (Temporal.Instant.compare(at, now.add({ hours: retryHoursMax })) > 0)
    throw new AppError("subject-invalid", `A retry is set at most ${retryHoursMax} hours ahead.`);
}
