import type { Db, Tx } from "@/db/client";
import type { DigestRing } from "@/server/canonical-hash";
import type { Clock } from "@/server/clock";
import type { PublishedEvent } from "@/server/domain/event-log/envelope";

export type ConsumerEvent = PublishedEvent & { inboxId: string /** 1, 2, … */; attempt: number };

/**
 * How a handler ended for one event; the runtime chooses the state. Reason codes only, in capitals: they are stored and shown. A handler names its own
 * as `Reason`, and a code that no dictionary has words for does not compile.
 */
export type Outcome<Reason extends string = string> =
  | { kind: "done" }
  /** Rightly nothing to do, e.g. the visit has moved on. PROCESSED all the same. */
  | { kind: "noEffect"; reason: Reason }
  /** Not now. `at`: ISO instant; the usual back-off without it. What the handler wrote for this event is undone. */
  | { kind: "retryLater"; reason: Reason; at?: string }
  /** Never by itself: STAFF must look. What the handler wrote for this event is undone. */
  | { kind: "quarantine"; reason: Reason };

export const done: Outcome<never> = { kind: "done" };
export const noEffect = <R extends string>(reason: R): Outcome<R> => ({ kind: "noEffect", reason });
export const retryLater = <R extends string>(reason: R, at?: string): Outcome<R> => ({ kind: "retryLater", reason, ...(at ? { at } : {}) });
export const quarantine = <R extends string>(reason: R): Outcome<R> => ({ kind: "quarantine", reason });

/**
 * One kind of work that is done once for each event. `id` never changes: with the event id it is the identity of the work, and the name of the
 * group that reads the log for it.
 */
export type LogicalConsumer = {
  id: string;
  topics: readonly string[];
  /** ordered: an event waits behind an unfinished earlier one of its aggregate, and sequences may have no gap. */
  order: "ordered" | "commutative";
  /** 5 */
  attemptsMax?: number;
  /**
   * The database work of a batch, inside the transaction that marks it PROCESSED. `events` are of one tenant group (row-level security holds it to
   * that), those of one aggregate in order. Answers one outcome for each event, in their order. Awaits nothing but statements of `tx`; may run again
   * from the start, and with one event at a time.
   */
  handle(tx: Tx, events: ConsumerEvent[]): Promise<Outcome[]>;
};

/** What every run of a consumer needs. */
export type InboxRuntime = {
  db: Db;
  /** Names this process in leases and delivery rows. */
  worker: string;
  /** Of the log that is read now: positions of another one are never looked up in it. */
  logId: string;
  ring: DigestRing;
  clock: Pick<Clock, "monotonicMs">;
  random: () => number;
  /** 30 s */
  leaseMs?: number;
  /** How long a delivery waits for another worker's live lease before it leaves the row to the scheduler: 1 s. */
  leaseWaitMs?: number;
  /** Set while an approved replay runs; left out: the usual way. */
  replay?: ReplayClaims;
};

/** An approved replay claims stopped rows too, and gives each one attempt more. Its id stays on the row and on the delivery. */
export type ReplayClaims = {
  requestId: string;
  /** Asked in the transaction of each claim: a replay that was paused, cancelled or taken over claims nothing more. */
  mayClaim(tx: Tx): Promise<boolean>;
  /** Told in the transaction that gives a row back which was not run: the version under which it stands again as it stood. */
  gaveBack(tx: Tx, inboxId: string, version: string): Promise<void>;
};

/** The row a worker holds: settled by id, fence and state only. */
export type ClaimedRow = {
  inboxId: string;
  fence: string;
  attempt: number;
  attemptsMax: number;
  event: PublishedEvent;
  partition: number;
  offset: string;
};

export const leaseMsDefault = 30_000;
export const attemptsMaxDefault = 5;
