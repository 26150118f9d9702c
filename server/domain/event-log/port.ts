// Boundary between the rules and the log. The two adapters (server/event-log) keep one contract: server/event-log/contract.ts.

/** Where a record lies. A position names its log, so that one of another log is never mistaken for it. Offsets are decimal strings. */
export type Position = { logId: string; topic: string; partition: number; offset: string };
export type LogRecord = { key: string; headers: Record<string, string>; value: string; position: Position; appendedAt: Date };
export type NewRecord = { key: string; headers: Record<string, string>; value: string };

export type BatchControl = {
  /** Aborted when the consumption stops or this member lost the partition: take nothing new. */
  signal: AbortSignal;
  /** Keeps the partitions while a batch takes long; cheap to call often. */
  heartbeat(): Promise<void>;
};

export interface Consumption {
  /** Takes nothing new and waits for the running batch, at most `deadlineMs` (5 s). What was not finished is read again later. */
  stop(deadlineMs?: number): Promise<void>;
  /** Resolves after stop(). Rejects with LogError when consuming died and will not come back: the process must end. */
  readonly ended: Promise<void>;
  /** Monotonic milliseconds of the last answered poll: liveness is progress, not a running process. */
  lastPollMs(): number;
}

export interface EventLog {
  /** Adapter and cluster or log id. */
  logId(): Promise<string>;
  /**
   * Appends in order and answers the positions in the order of `records`. One call is outstanding at a time.
   * Throws LogError: POISON when these records can never be appended (nothing was), OUTAGE when it is unknown whether they were.
   */
  publish(topic: string, records: NewRecord[]): Promise<Position[]>;
  /** Reads as a member of `group`, from the beginning the first time; offsets are stored after `onBatch` resolves, never before. */
  consume(group: string, topics: string[], onBatch: (batch: LogRecord[], control: BatchControl) => Promise<void>): Promise<Consumption>;
  /** A bounded read that touches no group's offsets and never clamps: an offset that is not there is "EXPIRED". Throws LogError(OUTAGE). */
  readAt(topic: string, partition: number, offsets: string[], options: { deadlineMs: number }): Promise<Map<string, LogRecord | "EXPIRED">>;
  /** First readable offset and the next one to be written, for each partition. */
  watermarks(topic: string): Promise<{ partition: number; low: string; high: string }[]>;
  /** The next offset that the group reads, for each partition in which it has stored one. */
  groupOffsets(group: string, topic: string): Promise<{ partition: number; offset: string }[]>;
  close(): Promise<void>;
}

export type LogErrorCode =
  | "UNAVAILABLE" // not reached, timed out, or answered with a retriable error
  | "STALE_ACK" // the acknowledged offset did not grow: an earlier answer, or a swallowed message
  | "OFFSETS_LOST" // the group's next offset is not in the log any more
  | "TOPIC_UNFIT" // partition count or clean-up policy is not what this product needs
  | "CRASHED" // the client gave up
  | "CLOSED"
  | "TOO_LARGE"
  | "UNKNOWN_TOPIC";

/** POISON will fail again however often it is sent; OUTAGE says nothing about the records. */
export class LogError extends Error {
  /** Known by its name: the web app keeps one log for the process, and a bundler may make two copies of this module. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "LogError" && "code" in value;
  }
  readonly name = "LogError";
  constructor(
    readonly code: LogErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }

  get kind(): "POISON" | "OUTAGE" {
    return this.code === "TOO_LARGE" || this.code === "UNKNOWN_TOPIC" ? "POISON" : "OUTAGE";
  }
}

/** Either adapter answers or gives up within this time. */
export const publishTimeoutMs = 5_000;
