import { setTimeout as sleep } from "node:timers/promises";
import { withRead, withTx } from "@/db/client";
import type { LogRecord } from "@/server/domain/event-log/port";
import { groupBy } from "@/server/group-by";
import { testPoint } from "@/server/test-points";
import { applyEffects, ClaimLost, NotAsOne, NotProcessed } from "./apply-effects";
import { attemptRow } from "./attempt-row";
import { type BatchClaim, claimBatch } from "./claim-batch";
import { inConsumerSpan } from "./consumer-span";
import { recordRejections } from "./record-rejections";
import { SequenceMoved } from "./sequence-moved";
import { giveBackRows, recordFenced } from "./settle-failed-row";
import { type Arrival, sortArrivals } from "./sort-arrivals";
import type { ClaimedRow, InboxRuntime, LogicalConsumer } from "./types";
import { type Control, DatabaseBusy, Stopped, withPatience } from "./with-patience";

export const noCounts = () => ({
  received: 0,
  processed: 0,
  noEffect: 0,
  duplicate: 0,
  retryable: 0,
  blocked: 0,
  waiting: 0,
  quarantined: 0,
  fenced: 0,
  rejected: 0,
});
export type InboxCounts = ReturnType<typeof noCounts>;

/**
 * Records as they come from the log. Each has a durable row (or rejection) when this resolves, so the offset may move; most are PROCESSED as well.
 * Batches are for speed only: when anything in one fails, its rows run one by one, and a bad event neither undoes nor counts against its neighbours.
 * Throws Stopped when it was told to end first: then the offset must not move.
 */
export async function processBatch(
  runtime: InboxRuntime,
  consumer: LogicalConsumer,
  records: LogRecord[],
  control: Control,
): Promise<InboxCounts> {
  const counts = noCounts();
  counts.received = records.length;
  const { arrivals, rejections } = await withPatience(runtime, control, () => sortArrivals(runtime, records));
  if (rejections.length > 0) {
    const write = () => withTx(runtime.db, { worker: runtime.worker }, (tx) => recordRejections(tx, runtime, consumer.id, rejections));
    await withPatience(runtime, control, write);
    counts.rejected = rejections.length;
  }
  for (const round of intoRounds(arrivals)) await processRound(runtime, consumer, round, control, counts);
  return counts;
}

/** Within one claim an event comes once, and nothing follows a refused event of its aggregate: it must find that one's row in its way. */
function intoRounds(arrivals: Arrival[]): Arrival[][] {
  const rounds: Arrival[][] = [];
  let events = new Set<string>();
  let refused = new Set<string>();
  for (const arrival of arrivals) {
    const { eventId, aggregateId } = arrival.envelope;
    if (rounds.length === 0 || events.has(eventId) || refused.has(aggregateId)) {
      rounds.push([]);
      events = new Set();
      refused = new Set();
    }
    rounds.at(-1)?.push(arrival);
    events.add(eventId);
    if (arrival.refusal) refused.add(aggregateId);
  }
  return rounds;
}

/** What a crash of the database undid is claimed again: the round ends when every arrival has its durable row. */
async function processRound(runtime: InboxRuntime, consumer: LogicalConsumer, round: Arrival[], control: Control, counts: InboxCounts) {
  for (let left = round; left.length > 0; ) left = await processClaim(runtime, consumer, left, control, counts);
}

/** Answers the arrivals whose claim was undone by a crash of the database before anything of it was done. */
async function processClaim(
  runtime: InboxRuntime,
  consumer: LogicalConsumer,
  round: Arrival[],
  control: Control,
  counts: InboxCounts,
): Promise<Arrival[]> {
  if (control.signal.aborted) throw new Stopped("stopped before a claim");
  const claim = await withPatience(runtime, control, () => claimBatch(runtime, consumer, round));
  addClaim(counts, claim);
  await testPoint("inbox.afterClaim", claim.claimed);
  const open = new Map(claim.claimed.map((row) => [row.inboxId, row]));
  try {
    const tenants = groupBy(claim.claimed, ({ event }) => event.tenantGroupId);
    for (const rows of tenants.values()) {
      await control.heartbeat();
      await runTogether(runtime, consumer, rows, control, counts, open);
    }
  } catch (error) {
    if (error instanceof ClaimLost) return round.filter(({ inboxId }) => open.has(inboxId)); // its rows are all new, so none of them is held
    // told to stop, or a fault of ours: others may have the rows at once. When the database is away, their lease ends instead.
    if (open.size > 0) await giveBackRows(runtime, [...open.values()]).catch(() => {});
    throw error;
  }
  if (claim.held.length > 0) await meetHeld(runtime, consumer, claim.held, control, counts);
  return [];
}

function addClaim(counts: InboxCounts, claim: BatchClaim) {
  counts.duplicate += claim.duplicates;
  counts.blocked += claim.blocked;
  counts.waiting += claim.waiting;
  counts.quarantined += claim.quarantined;
}

/** All rows of one tenant group in one transaction. Rows leave `open` when they are settled. */
async function runTogether(
  runtime: InboxRuntime,
  consumer: LogicalConsumer,
  rows: ClaimedRow[],
  control: Control,
  counts: InboxCounts,
  open: Map<string, ClaimedRow>,
) {
  if (rows.length === 1) return runOneByOne(runtime, consumer, rows, control, counts, open);
  const startedMs = runtime.clock.monotonicMs();
  try {
    const apply = () => withPatience(runtime, control, () => applyEffects(runtime, consumer, rows));
    const applied = await inConsumerSpan(runtime, consumer, rows, apply, ({ fenced }) =>
      fenced.length > 0 ? "FENCED_IN_PART" : "PROCESSED",
    );
    for (const row of rows) open.delete(row.inboxId);
    counts.processed += applied.processed;
    counts.noEffect += applied.noEffect;
    counts.fenced += applied.fenced.length;
    const tookMs = runtime.clock.monotonicMs() - startedMs;
    await withPatience(runtime, control, () => recordFenced(runtime, applied.fenced, tookMs));
    await testPoint("inbox.afterEffect", rows);
  } catch (error) {
    if (error instanceof Stopped || error instanceof ClaimLost || isFaultOfTheRuntime(error, rows, open)) throw error;
    await runOneByOne(runtime, consumer, rows, control, counts, open);
  }
}

/** The batch itself was settled, so what failed came afterwards. */
const isFaultOfTheRuntime = (error: unknown, rows: ClaimedRow[], open: Map<string, ClaimedRow>) =>
  ![NotAsOne, NotProcessed, SequenceMoved, DatabaseBusy].some((kind) => error instanceof kind) && !open.has(rows[0]?.inboxId ?? "");

/** In the order of the log; later events of an aggregate that failed are stored behind it. */
async function runOneByOne(
  runtime: InboxRuntime,
  consumer: LogicalConsumer,
  rows: ClaimedRow[],
  control: Control,
  counts: InboxCounts,
  open: Map<string, ClaimedRow>,
) {
  for (const [index, row] of rows.entries()) {
    if (!open.has(row.inboxId)) continue; // waits behind an earlier one
    if (control.signal.aborted) throw new Stopped("stopped between two events");
    await control.heartbeat();
    const followers = consumer.order === "ordered" ? rows.slice(index + 1).filter((other) => isFollower(row, other)) : [];
    const end = await attemptRow(runtime, consumer, row, control, followers);
    open.delete(row.inboxId);
    countEnd(counts, end);
    if (end === "PROCESSED" || end === "NO_EFFECT") continue;
    for (const follower of followers) open.delete(follower.inboxId);
    counts.blocked += followers.length;
  }
}

const isFollower = (row: ClaimedRow, other: ClaimedRow) =>
  other.event.aggregateType === row.event.aggregateType && other.event.aggregateId === row.event.aggregateId;

export function countEnd(counts: InboxCounts, end: Awaited<ReturnType<typeof attemptRow>>) {
  if (end === "PROCESSED") counts.processed += 1;
  else if (end === "NO_EFFECT") counts.noEffect += 1;
  else if (end === "RETRYABLE") counts.retryable += 1;
  else if (end === "QUARANTINED") counts.quarantined += 1;
  else counts.fenced += 1;
}

/** Waits a bounded time for the worker that holds the rows, then says what became of them and leaves the rest to the scheduler. */
async function meetHeld(runtime: InboxRuntime, consumer: LogicalConsumer, held: Arrival[], control: Control, counts: InboxCounts) {
  const untilMs = runtime.clock.monotonicMs() + (runtime.leaseWaitMs ?? 1_000);
  const eventIds = held.map(({ envelope }) => envelope.eventId);
  const stillHeld = () =>
    withRead(runtime.db, { worker: runtime.worker }, async (tx) => {
      const rows = await tx.sql`
        select 1 from inbox
        where consumer = ${consumer.id} and event_id = any (${eventIds}::uuid[]) and state = 'PROCESSING' and lease_until > clock_timestamp()
        limit 1`;
      return rows.length > 0;
    });
  await testPoint("inbox.beforeWait", held);
  while (runtime.clock.monotonicMs() < untilMs && !control.signal.aborted && (await withPatience(runtime, control, stillHeld))) {
    await control.heartbeat();
    await sleep(50, undefined, { signal: control.signal }).catch(() => {});
  }
  const claim = await withPatience(runtime, control, () => claimBatch(runtime, consumer, held, true));
  addClaim(counts, claim);
  if (claim.claimed.length > 0) await giveBackRows(runtime, claim.claimed); // only when the held row was deleted meanwhile
}
