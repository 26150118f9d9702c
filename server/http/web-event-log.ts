import type { EventLog } from "@/server/domain/event-log/port";
import { webEnv } from "@/server/env";
import { openEventLog } from "@/server/event-log/open-event-log";
import { webDb } from "@/server/http/web-db";

const kept = globalThis as { appointmentOperationsWebLog?: Promise<EventLog> };

/** The event log as the web process may use it: watermarks and group offsets, never records. Opened when first asked for. */
export function webEventLog(): Promise<EventLog> {
  kept.appointmentOperationsWebLog ??= openEventLog(webEnv(), webDb()).catch((error) => {
    kept.appointmentOperationsWebLog = undefined;
    throw error;
  });
  return kept.appointmentOperationsWebLog;
}
