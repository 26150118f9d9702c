import type { Tx } from "@/db/client";
import type { ReplayState } from "./types";

/** An approved replay that has not ended with these rows yet. */
export type OpenRequest = { requestId: string; jobRef: string; state: ReplayState };

/** The open replay that holds one of the rows of a manifest (or one row by itself); null when all are free. */
export async function findOpenRequest(tx: Tx, wanted: { inboxId: string } | { heldFor: string }): Promise<OpenRequest | null> {
  const [row] = await tx.sql`
    select r.request_id, r.job_ref, r.state
    from replay_items held
    join replay_requests r on r.request_id = held.request_id
    where held.is_open
      and case when ${"inboxId" in wanted}::boolean
        then held.inbox_id = ${"inboxId" in wanted ? wanted.inboxId : null}::uuid
        else held.request_id <> ${"heldFor" in wanted ? wanted.heldFor : null}::uuid
          and held.inbox_id in (select i.inbox_id from replay_items i where i.request_id = ${"heldFor" in wanted ? wanted.heldFor : null}::uuid)
        end
    order by r.approved_at
    limit 1`;
  return row ? { requestId: row.request_id, jobRef: row.job_ref, state: row.state } : null;
}
