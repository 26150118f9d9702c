import { AppError } from "@/server/app-error";
import { LogError } from "@/server/domain/event-log/port";
import { topics } from "@/server/domain/event-log/topics";
import type { ReplayDeps } from "./types";

export type LogMarks = { logId: string; marks: Map<string, { partition: number; low: string; high: string }[]> };

/** Which log it is and where each partition begins and ends now. Throws AppError event-log-unavailable. */
export async function askLog({ eventLog }: ReplayDeps): Promise<LogMarks> {
  try {
    const logId = await eventLog.logId();
    const marks: LogMarks["marks"] = new Map();
    for (const topic of Object.keys(topics)) marks.set(topic, await eventLog.watermarks(topic));
    return { logId, marks };
  } catch (error) {
    if (error instanceof LogError) throw new AppError("event-log-unavailable", undefined, {}, 5);
    throw error;
  }
}
