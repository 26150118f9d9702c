import { type Tx, withTx } from "@/db/client";
import { assertThere } from "./apply-effects";
import { recordDeliveries } from "./record-deliveries";
import { type Settlement, settleFailed } from "./states";
import type { ClaimedRow, InboxRuntime, Outcome } from "./types";

/**
 * Writes down an attempt that did not succeed, if the row is still ours, and stores `followers` (claimed later events of the same aggregate) behind
 * it, their attempt given back. Answers the state it left, or FENCED. Throws ClaimLost.
 */
export function settleFailedRow(
  runtime: InboxRuntime,
  row: ClaimedRow,
  outcome: Extract<Outcome, { kind: "retryLater" | "quarantine" }>,
  durationMs: number,
  followers: ClaimedRow[] = [],
): Promise<"RETRYABLE" | "QUARANTINED" | "FENCED"> {
  const next = settleFailed(row, outcome, runtime.random);
  return withTx(runtime.db, { worker: runtime.worker, tenantGroupId: row.event.tenantGroupId }, async (tx) => {
    const retry = next.state === "RETRYABLE" ? next : null;
    const settled = await tx.sql`
      update inbox
      set state = ${next.state},
          reason_code = ${next.reason},
          next_attempt_at = case when ${retry !== null}::boolean
            then coalesce(${retry?.at ?? null}::timestamptz, clock_timestamp() + ${retry?.waitMs ?? 0} * interval '1 millisecond') end,
          quarantined_at = case when ${retry === null}::boolean then clock_timestamp() end,
          lease_owner = null,
          lease_until = null,
          version = version + 1,
          updated_at = clock_timestamp()
      where id = ${row.inboxId}
        and fence = ${row.fence}
        and state is not distinct from 'PROCESSING'
      returning id`;
    if (settled.length === 0) {
      await assertThere(tx, [row, ...followers]);
      if (await isSettledByUs(tx, row)) return next.state;
    }
    const state = settled.length === 1 ? next.state : "FENCED";
    await recordDeliveries(tx, runtime.worker, runtime.logId, [
      { ...deliveryOf(row, state, next, outcome, durationMs), replayRequestId: runtime.replay?.requestId },
    ]);
    if (followers.length === 0) return state;
    const blocked = await tx.sql`
      update inbox i
      set state = 'RETRYABLE',
          attempts = i.attempts - 1,
          reason_code = 'BLOCKED_BY',
          blocked_by = ${row.inboxId},
          lease_owner = null,
          lease_until = null,
          version = i.version + 1,
          updated_at = clock_timestamp()
      from unnest(
        ${followers.map((follower) => follower.inboxId)}::uuid[],
        ${followers.map((follower) => follower.fence)}::int8[]
      ) as f (id, fence)
      where i.id = f.id
        and i.fence = f.fence
        and i.state is not distinct from 'PROCESSING'
      returning i.id`;
    const stored = new Set(blocked.map((one) => one.id as string));
    const waiting = followers.filter((follower) => stored.has(follower.inboxId));
    await recordDeliveries(
      tx,
      runtime.worker,
      runtime.logId,
      waiting.map(({ inboxId, partition, offset }) => ({
        inboxId,
        attempt: null,
        fence: null,
        outcome: "RETRYABLE",
        reason: "BLOCKED_BY",
        partition,
        offset,
        durationMs: 0,
      })),
    );
    return state;
  });
}

/** Our own COMMIT went through and its answer was lost: everything of it, followers too, is written. */
async function isSettledByUs(tx: Tx, row: ClaimedRow): Promise<boolean> {
  const rows = await tx.sql`select 1 from inbox where id = ${row.inboxId} and fence = ${row.fence} and state <> 'PROCESSING'`;
  return rows.length > 0;
}

/** The attempt keeps its own reason, also when it was the last one and the row says ATTEMPTS_EXHAUSTED. */
const deliveryOf = (
  row: ClaimedRow,
  state: Settlement["state"] | "FENCED",
  next: Settlement,
  outcome: { reason: string },
  durationMs: number,
) => ({
  inboxId: row.inboxId,
  attempt: row.attempt,
  fence: row.fence,
  outcome: state,
  reason: state === "FENCED" ? null : next.state === "QUARANTINED" && next.reason === "ATTEMPTS_EXHAUSTED" ? outcome.reason : next.reason,
  partition: row.partition,
  offset: row.offset,
  durationMs,
});

/** A late worker's attempt changed nothing; that it was made is written in a transaction of its own. */
export async function recordFenced(runtime: InboxRuntime, rows: ClaimedRow[], durationMs: number): Promise<void> {
  if (rows.length === 0) return;
  const deliveries = rows.map(({ inboxId, attempt, fence, partition, offset }) => ({
    inboxId,
    attempt,
    fence,
    outcome: "FENCED" as const,
    reason: null,
    partition,
    offset,
    durationMs,
  }));
  await withTx(runtime.db, { worker: runtime.worker }, (tx) => recordDeliveries(tx, runtime.worker, runtime.logId, deliveries));
}

/** A worker that stops gives back what it claimed and has not run: due at once, no attempt used. Answers how many. */
export function giveBackRows(runtime: InboxRuntime, rows: ClaimedRow[]): Promise<number> {
  return withTx(runtime.db, { worker: runtime.worker }, async (tx) => {
    const given = await tx.sql`
      update inbox i
      set state = 'RETRYABLE',
          attempts = i.attempts - 1,
          reason_code = 'RELEASED',
          next_attempt_at = clock_timestamp(),
          lease_owner = null,
          lease_until = null,
          version = i.version + 1,
          updated_at = clock_timestamp()
      from unnest(${rows.map((row) => row.inboxId)}::uuid[], ${rows.map((row) => row.fence)}::int8[]) as g (id, fence)
      where i.id = g.id
        and i.fence = g.fence
        and i.state is not distinct from 'PROCESSING'
      returning i.id`;
    return given.length;
  });
}
