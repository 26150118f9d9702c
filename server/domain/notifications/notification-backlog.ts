import type { Tx } from "@/db/client";
import type { IntentState } from "./states";

export type NotificationBacklog = { state: IntentState; count: number; oldestSeconds: number };

/** Unsettled messages by state with the age of the oldest, over what the transaction's actor sees: a worker's metric, a clinic's tile. */
export async function notificationBacklog(tx: Tx): Promise<NotificationBacklog[]> {
  const rows = await tx.sql<NotificationBacklog[]>`
    select state, count(*)::int as count, extract(epoch from clock_timestamp() - min(created_at))::float8 as "oldestSeconds"
    from notification_intents
    where state in ('PENDING', 'SENDING', 'RETRY_WAIT')
    group by state
    order by state`;
  return [...rows];
}
