import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { type EventLog, LogError, type LogRecord } from "@/server/domain/event-log/port";
import { contractCases, groupCases } from "./contract";
import { openPostgresLog, preparePostgresLog } from "./postgres";

let db: TestDatabase;
let log: EventLog;

beforeAll(async () => {
  db = await createTestDatabase();
  await preparePostgresLog(db.worker);
  log = openPostgresLog(db.worker, { pollMs: 20, leaseMs: 600 });
});
afterAll(() => db.close());

const record = (value: string, key = "k") => ({ key, headers: { h: "1" }, value });
const topic = "appointment.v1";
const until = async (holds: () => boolean | Promise<boolean>) => {
  for (let i = 0; i < 1_000 && !(await holds()); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await holds()).toBe(true);
};

describe("the embedded log keeps the contract", () => {
  it.each([...contractCases, ...groupCases])("$name", ({ run }) => run(log));
});

describe("the embedded log", () => {
  it("can be prepared again, and refuses another partition count", async () => {
    await preparePostgresLog(db.worker);
    await db.superuser.$client`delete from log_partitions where topic = 'clinic-fact.v1' and partition = 11`;
    await expect(preparePostgresLog(db.worker)).rejects.toMatchObject({ code: "TOPIC_UNFIT" });
    await db.superuser.$client`insert into log_partitions (topic, partition) values ('clinic-fact.v1', 11)`;
  });

  it("twenty writers at once leave no gap and no record twice", async () => {
    const writers = Array.from({ length: 20 }, (_, n) =>
      log.publish(topic, [record(`w${n}`), record(`w${n}`, `other-${n % 3}`), record(`w${n}`)]),
    );
    const positions = (await Promise.all(writers)).flat();
    expect(new Set(positions.map(({ partition, offset }) => `${partition}/${offset}`)).size).toBe(60);
    const [row] = await db.superuser.$client`
      select count(*)::int4 as holes from log_partitions p
      where p.topic = ${topic} and p.next_offset <> (select count(*) from log_records r where r.topic = p.topic and r.partition = p.partition)`;
    expect(row?.holes).toBe(0);
  });

  it("a reader never passes an offset whose writer has not committed yet", async () => {
    const { partition } = (await log.publish(topic, [record("before", "slow-key")]))[0] as { partition: number };
    const seen: string[] = [];
    const consumption = await log.consume("slow-writer", [topic], async (batch: LogRecord[]) => {
      seen.push(...batch.filter((one) => one.key === "slow-key").map((one) => one.value));
    });
    let second!: Promise<unknown>;
    await db.superuser.$client.begin(async (sql) => {
      await sql`update log_partitions set next_offset = next_offset + 1 where topic = ${topic} and partition = ${partition}`;
      second = log.publish(topic, [record("second", "slow-key")]);
      await until(() => seen.length === 1);
      await sql`
        insert into log_records (topic, partition, "offset", key, headers, value)
        select topic, partition, next_offset - 1, 'slow-key', '{}', 'first' from log_partitions where topic = ${topic} and partition = ${partition}`;
      expect(seen).toEqual(["before"]);
    });
    await second;
    await until(() => seen.length === 3);
    await consumption.stop();
    expect(seen).toEqual(["before", "first", "second"]);
  });

  it("a member that died silently loses its partitions after the lease, and its late commit stores nothing", async () => {
    const key = "dead-member";
    const { partition, offset } = (await log.publish(topic, [record("1", key)]))[0] as { partition: number; offset: string };
    const stored = async () => (await log.groupOffsets("g-dead", topic)).find((one) => one.partition === partition)?.offset;
    let release!: () => void;
    let held = false;
    const stalled = await log.consume("g-dead", [topic], async (batch) => {
      if (!batch.some((one) => one.key === key)) return;
      held = true;
      await new Promise<void>((resolve) => {
        release = resolve;
      }); // no heartbeat: a stopped process
    });
    await until(() => held);
    const seen: string[] = [];
    const other = await log.consume("g-dead", [topic], async (batch) => {
      seen.push(...batch.filter((one) => one.key === key).map((one) => one.value));
    });
    await until(() => seen.length > 0);
    await until(async () => (await stored()) === String(Number(offset) + 1));
    await log.publish(topic, [record("2", key)]);
    await until(async () => (await stored()) === String(Number(offset) + 2));
    release();
    await stalled.stop();
    expect(await stored()).toBe(String(Number(offset) + 2));
    await other.stop();
    expect(seen).toEqual(["1", "2"]);
  });

  it("a group whose next record was trimmed ends instead of going on elsewhere", async () => {
    const consumption = await log.consume("g-trimmed", [topic], async () => {});
    await until(async () => (await log.groupOffsets("g-trimmed", topic)).some((one) => Number(one.offset) > 0));
    await consumption.stop();
    await db.superuser.$client`update log_group_offsets set next_offset = 0 where group_id = 'g-trimmed'`;
    await db.superuser.$client`update log_partitions set low_offset = least(1, next_offset) where topic = ${topic}`;
    const late = await log.consume("g-trimmed", [topic], async () => {});
    const ended = await late.ended.catch((error: unknown) => error);
    expect(ended).toBeInstanceOf(LogError);
    expect(ended).toMatchObject({ code: "OFFSETS_LOST" });
    await db.superuser.$client`update log_partitions set low_offset = 0`;
  });

  it("the web role may ask where the log stands, and may read no record", async () => {
    const asWeb = openPostgresLog(db.web);
    expect((await asWeb.watermarks(topic)).length).toBe(12);
    await expect(asWeb.readAt(topic, 0, ["0"], { deadlineMs: 1_000 })).rejects.toThrow("permission denied");
  });

  // last: it leaves dead connections in the pool, and each of them fails once
  it("an outage of its database is an outage of the log, and consuming goes on afterwards", async () => {
    const seen: string[] = [];
    const consumption = await log.consume("g-outage", [topic], async (batch) => {
      seen.push(...batch.filter((one) => one.key === "outage").map((one) => one.value));
    });
    await db.superuser.$client`
      select pg_terminate_backend(pid) from pg_stat_activity where usename = 'aops_worker' and datname = current_database()`;
    const failure = await log.publish(topic, [record("1", "outage")]).catch((error: unknown) => error);
    if (failure instanceof Error) expect(failure).toMatchObject({ name: "LogError", kind: "OUTAGE" });
    await until(() =>
      log.publish(topic, [record("2", "outage")]).then(
        () => true,
        () => false, // each connection of the pool fails once
      ),
    );
    await until(() => seen.includes("2"));
    await consumption.stop();
  });
});
