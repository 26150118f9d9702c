// The embedded log: partitions with gap-free offsets, groups and bounded reads in PostgreSQL. A clinic group needs no broker with it.
import { type Db, type Tx, withRead, withTx } from "@/db/client";
import { isDatabaseOutage } from "@/db/tx-error";
import { partitionOf } from "@/server/domain/event-log/partition-of";
import { type EventLog, LogError, type NewRecord, type Position, publishTimeoutMs } from "@/server/domain/event-log/port";
import { recordBytesMax, topics } from "@/server/domain/event-log/topics";
import { type ConsumeOptions, consumeAsMember } from "./postgres-consume";
import { logActor, toLogRecord } from "./postgres-record";

/**
 * Opens the log that lies in the database of `db`. The web role may ask for watermarks and group offsets; publish and consume need the worker role.
 * Call `preparePostgresLog` once before the first publish.
 */
export function openPostgresLog(db: Db, options: ConsumeOptions = {}): EventLog {
  let id: Promise<string> | undefined;
  const readId = () => withRead(db, logActor, async (tx) => (await tx.sql`select id from log_identity`)[0]?.id as string);
  const logId = () => {
    id ??= readId().catch((error) => {
      id = undefined;
      throw asLogError(error);
    });
    return id;
  };
  return {
    logId,
    publish: async (topic, records) => {
      const placed = place(topic, records);
      const name = await logId();
      const write = () => withTx(db, logActor, (tx) => append(tx, topic, placed), { deadlineMs: publishTimeoutMs, byIndex: true });
      const offsets = await write().catch(rethrow);
      return placed.map(({ partition }, index): Position => ({ logId: name, topic, partition, offset: offsets[index] as string }));
    },
    consume: async (group, names, onBatch) => consumeAsMember(db, { group, topics: names, logId: await logId(), onBatch, ...options }),
    readAt: async (topic, partition, offsets, { deadlineMs }) => {
      const name = await logId();
      const find = (tx: Tx) => tx.sql`
        select topic, partition, "offset", key, headers, convert_from(value, 'UTF8') as value, appended_at
        from log_records
        where topic = ${topic} and partition = ${partition} and "offset" = any (${offsets}::int8[])`;
      const rows = await withRead(db, logActor, find, { deadlineMs, byIndex: true }).catch(rethrow);
      const found = new Map(rows.map((row) => [row.offset as string, toLogRecord(row, name)]));
      return new Map(offsets.map((offset) => [offset, found.get(offset) ?? "EXPIRED"]));
    },
    watermarks: async (topic) => {
      const ask = (tx: Tx) => tx.sql<{ partition: number; low: string; high: string }[]>`
        select partition, low_offset as low, next_offset as high from log_partitions where topic = ${topic} order by partition`;
      return [...(await withRead(db, logActor, ask).catch(rethrow))];
    },
    groupOffsets: async (group, topic) => {
      const ask = (tx: Tx) => tx.sql<{ partition: number; offset: string }[]>`
        select partition, next_offset as "offset" from log_group_offsets where group_id = ${group} and topic = ${topic} order by partition`;
      return [...(await withRead(db, logActor, ask).catch(rethrow))];
    },
    close: async () => {}, // the pool belongs to whoever opened it
  };
}

/** Makes the partitions of every topic, and refuses (TOPIC_UNFIT) a count that is not the configured one. Safe to run at every start. */
export async function preparePostgresLog(db: Db): Promise<void> {
  await withTx(db, logActor, async (tx) => {
    for (const [topic, { partitions }] of Object.entries(topics)) {
      const [row] = await tx.sql`select count(*)::int4 as found from log_partitions where topic = ${topic}`;
      if (row?.found === 0) {
        await tx.sql`
          insert into log_partitions (topic, partition)
          select ${topic}, n from generate_series(0, ${partitions}::int4 - 1) n
          on conflict do nothing`;
      } else if (row?.found !== partitions) {
        throw new LogError("TOPIC_UNFIT", `${topic} has ${row?.found} partitions instead of ${partitions}: keys would move`);
      }
    }
  });
}

type Placed = NewRecord & { partition: number };

function place(topic: string, records: NewRecord[]): Placed[] {
  const partitions = topics[topic]?.partitions;
  if (partitions === undefined) throw new LogError("UNKNOWN_TOPIC", topic);
  if (records.some((record) => Buffer.byteLength(record.value) > recordBytesMax))
    throw new LogError("TOO_LARGE", `a value is longer than ${recordBytesMax} bytes`);
  return records.map((record) => ({ ...record, partition: partitionOf(record.key, partitions) }));
}

/**
 * Takes the partition rows in order and holds them until commit: offsets have no gaps and become visible in order, so a reader that stands at an
 * offset never misses one below it. Answers the offsets in the order of `records`.
 */
async function append(tx: Tx, topic: string, records: Placed[]): Promise<string[]> {
  const rows = await tx.sql`
    with input as materialized (
      select n, partition, key, headers, value, row_number() over (partition by partition order by n) as place
      from unnest(
        ${records.map((record) => record.partition)}::int4[],
        ${records.map((record) => record.key)}::text[],
        ${records.map((record) => JSON.stringify(record.headers))}::text[],
        ${records.map((record) => record.value)}::text[]
      ) with ordinality as r (partition, key, headers, value, n)
    ),
    locked as materialized (
      select p.partition, (select count(*) from input i where i.partition = p.partition) as records
      from log_partitions p
      where p.topic = ${topic}
        and p.partition in (select partition from input)
      order by p.partition
      for update of p
    ),
    taken as (
      update log_partitions p
      set next_offset = p.next_offset + locked.records
      from locked
      where p.topic = ${topic}
        and p.partition = locked.partition
      returning p.partition, p.next_offset - locked.records as base
    ),
    written as (
      insert into log_records (topic, partition, "offset", key, headers, value)
      select ${topic}, i.partition, taken.base + i.place - 1, i.key, i.headers::jsonb, convert_to(i.value, 'UTF8')
      from input i
      join taken on taken.partition = i.partition
    )
    select taken.base + i.place - 1 as "offset"
    from input i
    join taken on taken.partition = i.partition
    order by i.n`;
  if (rows.length !== records.length) throw new LogError("TOPIC_UNFIT", `${topic} has no partitions: the log was not prepared`);
  return rows.map((row) => row.offset as string);
}

/** Every wait has an end of its own, and "the database did not answer" is an outage of the log. */
const asLogError = (error: unknown): unknown =>
  isDatabaseOutage(error) ? new LogError("UNAVAILABLE", "the log's database did not answer", error) : error;

function rethrow(error: unknown): never {
  throw asLogError(error);
}
