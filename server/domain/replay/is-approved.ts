import { type Db, withRead } from "@/db/client";

/** Whether a request was approved by everybody who had to, for one of these consumers. For a start that goes back over old events. */
export function isApprovedReplay(db: Db, worker: string, requestId: string, consumers: readonly string[]): Promise<boolean> {
  return withRead(db, { worker }, async (tx) => {
    const rows = await tx.sql`
      select 1
      from replay_requests
      where request_id = ${requestId} and consumer = any (${[...consumers]}::text[]) and approver_id is not null
        and (not needs_second or second_approver_id is not null) and state <> 'EXPIRED'`;
    return rows.length > 0;
  });
}
