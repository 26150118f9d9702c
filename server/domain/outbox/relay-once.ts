import type { Db } from "@/db/client";
import type { Clock } from "@/server/clock";
import { readEnvelope, toRecord } from "@/server/domain/event-log/envelope";
import { type EventLog, LogError, type NewRecord, type Position, publishTimeoutMs } from "@/server/domain/event-log/port";
import { backoffMs } from "@/server/domain/leases/backoff";
import { groupBy } from "@/server/group-by";
import { testPoint } from "@/server/test-points";
import { untraced } from "@/server/tracing";
import { type ClaimedEntry, claimEntries } from "./claim-entries";
import { failEntries, releaseEntries } from "./give-back-entries";
import { markPublishedIfLeaseHeld } from "./mark-published";
import type { PoisonReason } from "./states";

export type RelayOptions = {
  worker: string;
  clock: Pick<Clock, "monotonicMs">;
  random: () => number;
  signal?: AbortSignal;
  /** 100 */
  limit?: number;
  /** 30 s; must hold one publish, the mark and a margin: assertLeaseLongEnough. */
  leaseMs?: number;
  /** Deterministic failures before FAILED: 3. The same bytes fail the same way; the two repeats are there for a release that mends it. */
  attemptsMax?: number;
};
export type RelayResult = {
  claimed: number;
  published: number;
  /** Published, but another relay had taken them over meanwhile. */
  fenced: number;
  released: number;
  retried: number;
  failed: number;
  /** Code of the outage that ended this run; the next one should wait, then try with one entry. */
  outage?: string;
};

const leaseMsDefault = 30_000;
const markBudgetMs = 5_000;
const marginMs = 5_000;

/** Refuses a lease that could run out between claim and mark. Called at start-up. */
export function assertLeaseLongEnough(leaseMs = leaseMsDefault): void {
  const needed = publishTimeoutMs + markBudgetMs + marginMs;
  if (leaseMs < needed) throw new Error(`a relay lease of ${leaseMs} ms is shorter than publish, mark and margin (${needed} ms)`);
}

/**
 * One bounded run: claim the heads, publish them outside any transaction, mark them by fence. A crash in between publishes an entry again at another
 * offset, under the same event id. Throws what the database throws; an outage of the log is in the result.
 */
export async function relayOnce(db: Db, eventLog: EventLog, options: RelayOptions): Promise<RelayResult> {
  const { worker, clock, limit = 100, leaseMs = leaseMsDefault, attemptsMax = 3 } = options;
  const result: RelayResult = { claimed: 0, published: 0, fenced: 0, released: 0, retried: 0, failed: 0 };
  const leaseEndsMs = clock.monotonicMs() + leaseMs; // from before the claim was sent
  const claimed = await claimEntries(db, { worker, limit, leaseMs });
  result.claimed = claimed.length;
  if (claimed.length === 0) return result;
  await testPoint("relay.afterClaim", claimed);

  const { sendable, refused } = checkContracts(claimed);
  const published: { entry: ClaimedEntry; position: Position }[] = [];
  const unsent: ClaimedEntry[] = [];
  for (const group of byTopic(sendable)) {
    const mayStart = () => !options.signal?.aborted && leaseEndsMs - clock.monotonicMs() > publishTimeoutMs + markBudgetMs;
    const sent = result.outage ? { published: [], refused: [], unsent: group } : await publishGroup(eventLog, group, mayStart);
    published.push(...sent.published);
    refused.push(...sent.refused);
    unsent.push(...sent.unsent.map(({ entry }) => entry));
    result.outage ??= sent.outage;
  }
  await testPoint("relay.afterPublish", published);

  if (published.length > 0) {
    const marked = await markPublishedIfLeaseHeld(db, worker, published);
    result.published = marked.size;
    result.fenced = published.length - marked.size;
  }
  if (refused.length > 0) {
    const waiting = refused.map((item) => ({ ...item, waitMs: backoffMs(item.entry.attempts + 1, options.random) }));
    result.failed = await failEntries(db, worker, waiting, attemptsMax);
    result.retried = refused.length - result.failed;
  }
  if (unsent.length > 0) result.released = await releaseEntries(db, worker, unsent);
  await testPoint("relay.afterMark", result);
  return result;
}

type Sendable = { entry: ClaimedEntry; record: NewRecord };
type Refused = { entry: ClaimedEntry; reason: PoisonReason };
type Sent = { published: { entry: ClaimedEntry; position: Position }[]; refused: Refused[]; unsent: Sendable[]; outage?: string };

/** What no consumer could read must not reach the log: there it could not be taken back. */
function checkContracts(claimed: ClaimedEntry[]): { sendable: Sendable[]; refused: Refused[] } {
  const sendable: Sendable[] = [];
  const refused: Refused[] = [];
  for (const entry of claimed) {
    const record = toRecord(entry);
    const read = readEnvelope(record);
    if (read.ok) sendable.push({ entry, record });
    else refused.push({ entry, reason: read.reason });
  }
  return { sendable, refused };
}

const byTopic = (sendable: Sendable[]): Sendable[][] => [...groupBy(sendable, ({ entry }) => entry.topic).values()];

/** One call for all; when the log refuses one of them, one by one, so that only that one is counted against. */
async function publishGroup(eventLog: EventLog, group: Sendable[], mayStart: () => boolean): Promise<Sent> {
  const sent: Sent = { published: [], refused: [], unsent: [] };
  if (!mayStart()) return { ...sent, unsent: group };
  try {
    const topic = (group[0] as Sendable).entry.topic;
    const records = group.map(({ record }) => record);
    const positions = await untraced(() => eventLog.publish(topic, records));
    sent.published = group.map(({ entry }, index) => ({ entry, position: positions[index] as Position }));
    return sent;
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    if (error.kind === "OUTAGE") return { ...sent, unsent: group, outage: error.code };
    if (group.length === 1) return { ...sent, refused: group.map(({ entry }) => ({ entry, reason: error.code as PoisonReason })) };
  }
  for (const [index, one] of group.entries()) {
    const single = await publishGroup(eventLog, [one], mayStart);
    sent.published.push(...single.published);
    sent.refused.push(...single.refused);
    if (single.unsent.length > 0) return { ...sent, unsent: group.slice(index), outage: single.outage };
  }
  return sent;
}
