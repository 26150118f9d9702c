// For tests of the rules, and for drills, which have a log of their own: the port over arrays, with faults on demand. It passes the same contract as the two real logs.
import { partitionOf } from "./partition-of";
import { type BatchControl, type Consumption, type EventLog, LogError, type LogRecord, type NewRecord, type Position } from "./port";
import { recordBytesMax, topics } from "./topics";

export class MemoryLog implements EventLog {
  readonly records = new Map<string, LogRecord[]>();
  private readonly offsets = new Map<string, number>();
  /** Called before each publish; throw a LogError to play a fault. */
  beforePublish: (records: NewRecord[]) => void | Promise<void> = () => {};
  /** Called after the append and before the answer: an error here is an outcome that the caller cannot know. */
  afterPublish: (positions: Position[]) => void | Promise<void> = () => {};
  beforeReadAt: () => void | Promise<void> = () => {};

  constructor(private readonly id = "memory-1") {}

  logId = async () => this.id;

  async publish(topic: string, records: NewRecord[]): Promise<Position[]> {
    await this.beforePublish(records);
    const partitions = topics[topic]?.partitions;
    if (partitions === undefined) throw new LogError("UNKNOWN_TOPIC", topic);
    if (records.some((record) => Buffer.byteLength(record.value) > recordBytesMax)) throw new LogError("TOO_LARGE", topic);
    const positions = records.map((record) => this.append(topic, partitionOf(record.key, partitions), record));
    await this.afterPublish(positions);
    return positions;
  }

  private append(topic: string, partition: number, record: NewRecord): Position {
    const stored = this.partition(topic, partition);
    const position = { logId: this.id, topic, partition, offset: String(stored.length) };
    stored.push({ ...structuredClone(record), position, appendedAt: new Date() });
    return position;
  }

  partition(topic: string, partition: number): LogRecord[] {
    const name = `${topic}/${partition}`;
    const stored = this.records.get(name) ?? [];
    this.records.set(name, stored);
    return stored;
  }

  /** All records of a topic, partition by partition. */
  all = (topic: string): LogRecord[] =>
    Array.from({ length: topics[topic]?.partitions ?? 0 }, (_, partition) => this.partition(topic, partition)).flat();

  async consume(
    group: string,
    names: string[],
    onBatch: (batch: LogRecord[], control: BatchControl) => Promise<void>,
  ): Promise<Consumption> {
    const stopping = new AbortController();
    let lastPoll = performance.now();
    const control = { signal: stopping.signal, heartbeat: async () => {} };
    const run = async () => {
      while (!stopping.signal.aborted) {
        lastPoll = performance.now();
        for (const batch of names.flatMap((topic) => this.unread(group, topic))) {
          try {
            await onBatch(batch, control);
            this.commit(group, batch.at(-1) as LogRecord);
          } catch {} // read again
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const ended = run();
    return {
      ended,
      lastPollMs: () => lastPoll,
      stop: async (deadlineMs = 5_000) => {
        stopping.abort();
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, deadlineMs).unref())]);
      },
    };
  }

  private unread(group: string, topic: string): LogRecord[][] {
    const partitions = Array.from({ length: topics[topic]?.partitions ?? 0 }, (_, partition) => partition);
    const batches = partitions.map((partition) =>
      this.partition(topic, partition).slice(this.offsets.get(`${group}/${topic}/${partition}`) ?? 0),
    );
    return batches.filter((batch) => batch.length > 0);
  }

  private commit(group: string, { position }: LogRecord) {
    this.offsets.set(`${group}/${position.topic}/${position.partition}`, Number(position.offset) + 1);
  }

  async readAt(topic: string, partition: number, offsets: string[]): Promise<Map<string, LogRecord | "EXPIRED">> {
    await this.beforeReadAt();
    return new Map(offsets.map((offset) => [offset, this.partition(topic, partition)[Number(offset)] ?? "EXPIRED"]));
  }

  watermarks = async (topic: string) =>
    Array.from({ length: topics[topic]?.partitions ?? 0 }, (_, partition) => ({
      partition,
      low: "0",
      high: String(this.partition(topic, partition).length),
    }));

  groupOffsets = async (group: string, topic: string) =>
    [...this.offsets]
      .filter(([name]) => name.startsWith(`${group}/${topic}/`))
      .map(([name, offset]) => ({ partition: Number(name.split("/").at(-1)), offset: String(offset) }))
      .sort((a, b) => a.partition - b.partition);

  close = async () => {};
}
