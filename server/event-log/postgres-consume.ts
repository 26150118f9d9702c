import { setTimeout as sleep } from "node:timers/promises";
import { type Db, type Tx, withRead, withTx } from "@/db/client";
import { isDatabaseOutage } from "@/db/tx-error";
import { type BatchControl, type Consumption, LogError, type LogRecord } from "@/server/domain/event-log/port";
import { newUuid } from "@/server/ids";
import { extendLeases, joinAndShare, leaveGroup, type Owned } from "./postgres-group";
import { logActor, toLogRecord } from "./postgres-record";

export type ConsumeOptions = {
  /** Wait between two polls that found nothing: 200 ms, ± a quarter. */
  pollMs?: number;
  /** 100 records, over all partitions of this member */
  batchMax?: number;
  /** 10 s: how long a dead member's partitions stay with it */
  leaseMs?: number;
  random?: () => number;
};
type Consume = ConsumeOptions & {
  group: string;
  topics: string[];
  logId: string;
  onBatch: (batch: LogRecord[], control: BatchControl) => Promise<void>;
};

/** One member of a group: shares the partitions with the others by leases, reads its own in order, stores offsets behind each batch. */
export async function consumeAsMember(db: Db, consume: Consume): Promise<Consumption> {
  const { pollMs = 200, leaseMs = 10_000, random = Math.random } = consume;
  const member = { group: consume.group, topics: consume.topics, memberId: newUuid(), leaseMs };
  const stopping = new AbortController();
  let owned: Owned[] = [];
  let sharedAtMs = Number.NEGATIVE_INFINITY;
  let lastPollMs = performance.now();
  const isDue = () => performance.now() - sharedAtMs >= leaseMs / 3;

  const pause = (ms: number) => sleep(ms * (0.75 + random() / 2), undefined, { signal: stopping.signal }).catch(() => {});

  async function step(): Promise<"READ" | "EMPTY"> {
    if (isDue()) {
      const atMs = performance.now();
      owned = await joinAndShare(db, member, owned);
      sharedAtMs = atMs;
    }
    const batch = owned.length === 0 ? [] : await readBatch(db, owned, consume);
    lastPollMs = performance.now();
    if (batch.length === 0) return "EMPTY";
    await handBatch(batch);
    return "READ";
  }

  /** Runs the handler; its signal also ends when a lease was lost, because another member reads the same records then. */
  async function handBatch(batch: LogRecord[]) {
    const lost = new AbortController();
    const signal = AbortSignal.any([stopping.signal, lost.signal]);
    const heartbeat = async () => {
      lastPollMs = performance.now();
      if (!isDue()) return;
      const atMs = performance.now();
      try {
        if (await extendLeases(db, member, owned)) sharedAtMs = atMs;
        else lost.abort();
      } catch (error) {
        if (!isDatabaseOutage(error)) throw error;
        if (performance.now() - sharedAtMs > leaseMs) lost.abort(); // cannot say that it is still ours
      }
    };
    try {
      await consume.onBatch(batch, { signal, heartbeat });
    } catch (error) {
      if (signal.aborted) return; // not finished: read again, here or by another member
      throw error;
    } finally {
      if (lost.signal.aborted) sharedAtMs = Number.NEGATIVE_INFINITY;
    }
    await storeOffsets(batch);
  }

  async function storeOffsets(batch: LogRecord[]) {
    const next = new Map(batch.map(({ position }) => [`${position.topic}/${position.partition}`, BigInt(position.offset) + 1n]));
    owned = owned.map((part) => ({ ...part, nextOffset: String(next.get(`${part.topic}/${part.partition}`) ?? part.nextOffset) }));
    const moved = owned.filter((part) => next.has(`${part.topic}/${part.partition}`));
    const stored = await withTx(db, logActor, (tx) => commitOffsets(tx, member.group, member.memberId, moved));
    if (stored < moved.length) sharedAtMs = Number.NEGATIVE_INFINITY; // another member has it: its inbox rows tell it what is done
  }

  async function run() {
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        const found = await step();
        failures = 0;
        if (found === "EMPTY") await pause(pollMs);
      } catch (error) {
        if (error instanceof LogError && error.code === "OFFSETS_LOST") throw error;
        if (!isDatabaseOutage(error)) throw new LogError("CRASHED", "consuming ended", error);
        failures += 1;
        sharedAtMs = Number.NEGATIVE_INFINITY; // read where we stand anew
        await pause(Math.min(pollMs * 2 ** failures, 5_000));
      }
    }
    await leaveGroup(db, member).catch(() => {}); // else the lease ends by itself
  }

  const ended = run();
  ended.catch(() => {}); // whoever awaits it gets it
  return {
    ended,
    lastPollMs: () => lastPollMs,
    stop: async (deadlineMs = 5_000) => {
      stopping.abort();
      await Promise.race([ended, sleep(deadlineMs, undefined, { ref: false })]);
    },
  };
}

/** The next records of all owned partitions, each from where the group stands: round by round over the partitions, so that none waits for another. */
async function readBatch(db: Db, owned: Owned[], consume: Consume): Promise<LogRecord[]> {
  const batchMax = consume.batchMax ?? 100;
  const rows = await withRead(
    db,
    logActor,
    (tx) => tx.sql`
      select r.topic, r.partition, r."offset", r.key, r.headers, convert_from(r.value, 'UTF8') as value, r.appended_at
      from unnest(
        ${owned.map((part) => part.topic)}::text[],
        ${owned.map((part) => part.partition)}::int4[],
        ${owned.map((part) => part.nextOffset)}::int8[]
      ) as p (topic, partition, next_offset)
      cross join lateral (
        select *
        from log_records l
        where l.topic = p.topic
          and l.partition = p.partition
          and l."offset" >= p.next_offset
        order by l."offset"
        limit ${batchMax}
      ) r
      order by r."offset" - p.next_offset, r.partition
      limit ${batchMax}`,
    { byIndex: true },
  );
  return rows.map((row) => toLogRecord(row, consume.logId));
}

/** By owner and fence: a member whose lease went to another stores nothing. Answers how many partitions were stored. */
async function commitOffsets(tx: Tx, group: string, memberId: string, moved: Owned[]): Promise<number> {
  const rows = await tx.sql`
    update log_group_offsets g
    set next_offset = m.next_offset, updated_at = clock_timestamp()
    from unnest(
      ${moved.map((part) => part.topic)}::text[],
      ${moved.map((part) => part.partition)}::int4[],
      ${moved.map((part) => part.nextOffset)}::int8[],
      ${moved.map((part) => part.fence)}::int8[]
    ) as m (topic, partition, next_offset, fence)
    where g.group_id = ${group}
      and g.topic = m.topic
      and g.partition = m.partition
      and g.owner = ${memberId}
      and g.fence = m.fence
    returning g.partition`;
  return rows.length;
}
