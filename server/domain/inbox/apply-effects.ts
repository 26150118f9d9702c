import { type Tx, withTx } from "@/db/client";
import { groupBy } from "@/server/group-by";
import { testPoint } from "@/server/test-points";
import { markProcessed } from "./mark-processed";
import { checkOrder } from "./states";
import { type ClaimedRow, type ConsumerEvent, type InboxRuntime, type LogicalConsumer, noEffect, type Outcome, retryLater } from "./types";

/** Something in a batch did not end well: nothing of it was committed, and its rows run one by one. */
export class NotAsOne extends Error {
  readonly name = "NotAsOne";
}

/**
 * The claim of these rows is not there any more, nor are they: the database server crashed before it was on disk. Whoever holds it in memory must not take
 * that for another worker's fence and go on: the event would be lost. It is claimed again.
 */
export class ClaimLost extends Error {
  readonly name = "ClaimLost";
}

/** A single event's handler asked for another end than PROCESSED: nothing was committed. */
export class NotProcessed extends Error {
  readonly name = "NotProcessed";
  constructor(readonly outcome: Extract<Outcome, { kind: "retryLater" | "quarantine" }>) {
    super(outcome.reason);
  }
}

export type Applied = {
  processed: number;
  noEffect: number;
  /** Their claim went to another worker: nothing of theirs was done here. */
  fenced: ClaimedRow[];
};

/**
 * The effect transaction of rows of one tenant group: locks them by fence first, runs the handler's database work, marks them PROCESSED, commits.
 * Both or neither. Throws NotAsOne (several rows), NotProcessed (one row), SequenceMoved, ClaimLost, or what the handler or the database threw.
 */
export function applyEffects(runtime: InboxRuntime, consumer: LogicalConsumer, rows: ClaimedRow[]): Promise<Applied> {
  const tenantGroupId = rows[0]?.event.tenantGroupId;
  if (!tenantGroupId || rows.some((row) => row.event.tenantGroupId !== tenantGroupId)) throw new Error("a batch holds one tenant group");
  const startedMs = runtime.clock.monotonicMs();
  const work = async (tx: Tx) => {
    const held = await lockIfFenceHeld(tx, rows);
    await testPoint("inbox.afterLock", rows);
    const mine = rows.filter((row) => held.get(row.inboxId)?.state === "PROCESSING");
    const fenced = rows.filter((row) => !held.has(row.inboxId)); // PROCESSED under our fence: an earlier COMMIT of ours whose answer was lost
    await assertThere(tx, fenced);
    const ordered = consumer.order === "ordered" ? await inOrderOverSkipped(tx, mine, held) : { ready: mine, late: [], gaps: [] };
    if (ordered.gaps.length > 0) refuse(rows, retryLater("GAP"));

    const outcomes = await runHandler(tx, consumer, ordered.ready);
    await testPoint("inbox.afterHandler", rows);
    const failed = outcomes.find((outcome) => outcome.kind === "retryLater" || outcome.kind === "quarantine");
    if (failed) refuse(rows, failed);

    const ends = [
      ...ordered.ready.map((row, index) => ({ row, outcome: outcomes[index] as Outcome })),
      ...ordered.late.map((row) => ({ row, outcome: noEffect("SEQUENCE_REGRESSION") })),
    ];
    const durationMs = runtime.clock.monotonicMs() - startedMs;
    if (ends.length > 0) await markProcessed(tx, runtime, consumer, ends, durationMs);
    await testPoint("inbox.beforeCommit", rows);
    const without = ends.filter(({ outcome }) => outcome.kind === "noEffect").length;
    return { processed: ends.length - without, noEffect: without, fenced };
  };
  return withTx(runtime.db, { worker: runtime.worker, tenantGroupId }, work, { byIndex: true });
}

function refuse(rows: ClaimedRow[], outcome: Outcome): never {
  if (rows.length > 1) throw new NotAsOne("one of the events did not end well");
  throw new NotProcessed(outcome as NotProcessed["outcome"]);
}

type Held = Map<string, { state: string; lastApplied: bigint | null }>;

/** The first statement: whoever would take these rows over now waits for our end, and a claim that was lost is seen before anything is done. */
async function lockIfFenceHeld(tx: Tx, rows: ClaimedRow[]): Promise<Held> {
  const found = await tx.sql`
    select i.id, i.state, s.last_applied_seq
    from unnest(${rows.map((row) => row.inboxId)}::uuid[], ${rows.map((row) => row.fence)}::int8[]) as c (id, fence)
    join inbox i on i.id = c.id and i.fence = c.fence
    left join inbox_sequences s
      on s.consumer = i.consumer and s.aggregate_type = i.aggregate_type and s.aggregate_id = i.aggregate_id
    where i.state in ('PROCESSING', 'PROCESSED')
    order by i.id
    for update of i`;
  const lastApplied = (value: string | null) => (value === null ? null : BigInt(value));
  return new Map(found.map((row) => [row.id as string, { state: row.state as string, lastApplied: lastApplied(row.last_applied_seq) }]));
}

/** Throws ClaimLost when one of the rows is not there at all. */
export async function assertThere(tx: Tx, rows: ClaimedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const there = await tx.sql`select 1 from inbox where id = any (${rows.map((row) => row.inboxId)}::uuid[])`;
  if (there.length < rows.length) throw new ClaimLost("a claim was undone by a crash of the database");
}

type Sorted = { ready: ClaimedRow[]; late: ClaimedRow[]; gaps: ClaimedRow[] };

/** An event that STAFF skipped in the outbox never comes: what follows it is next, and no gap. Looked for only when there is a gap. */
async function inOrderOverSkipped(tx: Tx, rows: ClaimedRow[], held: Held): Promise<Sorted> {
  const sorted = inOrder(rows, held);
  if (sorted.gaps.length === 0) return sorted;
  for (const { inboxId, event } of sorted.gaps) {
    const own = held.get(inboxId);
    if (own) own.lastApplied = await overSkipped(tx, event, own.lastApplied);
  }
  return inOrder(rows, held);
}

async function overSkipped(tx: Tx, event: ClaimedRow["event"], lastApplied: bigint | null): Promise<bigint | null> {
  const last = lastApplied ?? 0n;
  const missing = BigInt(event.aggregateSeq) - 1n - last;
  const [row] = await tx.sql<{ skipped: string }[]>`
    select count(*) as skipped
    from outbox
    where aggregate_type = ${event.aggregateType}
      and aggregate_id = ${event.aggregateId}
      and aggregate_seq > ${last.toString()}
      and aggregate_seq < ${event.aggregateSeq}
      and state = 'SKIPPED'`;
  return BigInt(row?.skipped ?? 0) === missing ? last + missing : lastApplied;
}

/** Walks each aggregate in order: what is next, what came too late to matter, and what misses its predecessor. */
function inOrder(rows: ClaimedRow[], held: Held): Sorted {
  const sorted: Sorted = { ready: [], late: [], gaps: [] };
  for (const group of groupBy(rows, ({ event }) => `${event.aggregateType}/${event.aggregateId}`).values()) {
    let last = held.get((group[0] as ClaimedRow).inboxId)?.lastApplied ?? null;
    for (const row of group.sort((a, b) => Number(BigInt(a.event.aggregateSeq) - BigInt(b.event.aggregateSeq)))) {
      const seq = BigInt(row.event.aggregateSeq);
      const check = checkOrder(seq, last);
      if (check === "NEXT") {
        sorted.ready.push(row);
        last = seq;
      } else if (check === "REGRESSION") sorted.late.push(row);
      else sorted.gaps.push(row);
    }
  }
  return sorted;
}

async function runHandler(tx: Tx, consumer: LogicalConsumer, rows: ClaimedRow[]): Promise<Outcome[]> {
  if (rows.length === 0) return [];
  const events = rows.map(({ event, inboxId, attempt }): ConsumerEvent => ({ ...event, inboxId, attempt }));
  const outcomes = await consumer.handle(tx, events);
  if (outcomes.length !== events.length) throw new Error(`${consumer.id} gave ${outcomes.length} outcomes for ${events.length} events`);
  return outcomes;
}
