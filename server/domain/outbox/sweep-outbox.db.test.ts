import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openDb, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { untilSomebodyWaits } from "@/db/testing/until-somebody-waits";
import { sqlstate } from "@/db/tx-error";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { sweepOutbox } from "./sweep-outbox";

const tenant = newUuid();
const clinic = newUuid();
const actor = { tenantGroupId: tenant, clinicIds: [clinic] };
const consumers = [{ id: "c1", topics: ["appointment.v1"] }];
let db: TestDatabase;
const sql = () => db.superuser.$client;

type Old = {
  aggregate?: string;
  seq?: number;
  state?: string;
  days?: number;
  publishedDays?: number;
  topic?: string;
  taken?: string | null;
};

/** A row of the outbox as it was written `days` ago, with the inbox row of c1 in state `taken` (PROCESSED; null: nobody has taken it). */
async function old({ aggregate = newUuid(), seq = 1, state = "PUBLISHED", days = 100, topic = "appointment.v1", ...more }: Old = {}) {
  const { publishedDays = days, taken = state === "PUBLISHED" ? "PROCESSED" : null } = more;
  const isOut = state === "PUBLISHED";
  const [row] = await sql()<{ event_id: string }[]>`
    insert into outbox (event_id, tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type,
      schema_version, payload, state, reason_code, lease_owner, lease_until, occurred_at, published_at, log_id, log_partition, log_offset)
    select uuidv7(make_interval(days => ${-days}::int)), ${tenant}, ${clinic}, uuidv7(), ${topic}, 'k', 'appointment', ${aggregate}, ${seq},
      'AppointmentCreated', 1, '{"a": 1}', ${state}, ${state === "FAILED" || state === "SKIPPED" ? "TOO_LARGE" : null},
      ${state === "CLAIMED" ? "w" : null}, case when ${state === "CLAIMED"} then clock_timestamp() end,
      clock_timestamp() - make_interval(days => ${days}::int),
      case when ${isOut} then clock_timestamp() - make_interval(days => ${publishedDays}::int) end,
      ${isOut ? "log" : null}, ${isOut ? 3 : null}::int4, case when ${isOut} then ${seq}::int8 end
    returning event_id`;
  const id = row?.event_id as string;
  if (taken) await take(id, aggregate, seq, taken);
  return id;
}

const take = (eventId: string, aggregate: string, seq: number, state: string, consumer = "c1") => sql()`
  insert into inbox (tenant_group_id, clinic_id, consumer, event_id, event_type, schema_version, aggregate_type, aggregate_id, aggregate_seq,
    content_digest, digest_key_id, log_id, topic, partition, first_offset, last_partition, last_offset, attempts_max, state, processed_at, effect,
    quarantined_at, reason_code)
  select ${tenant}, ${clinic}, ${consumer}, ${eventId}, 'AppointmentCreated', 1, 'appointment', ${aggregate}, ${seq}, 'd', 'k1', 'log', 'appointment.v1',
    3, ${seq}, 3, ${seq}, 5, ${state}, case when ${state} = 'PROCESSED' then clock_timestamp() end, ${state === "PROCESSED" ? "APPLIED" : null},
    case when ${state} = 'QUARANTINED' then clock_timestamp() end, ${state === "PROCESSED" ? null : "HANDLER_FAILED"}`;
const finish = (eventId: string) => sql()`
  update inbox set state = 'PROCESSED', processed_at = clock_timestamp(), effect = 'APPLIED', quarantined_at = null, reason_code = null
  where event_id = ${eventId}`;
const sweep = (more: { after?: string | null; limit?: number; by?: TestDatabase["worker"] } = {}) =>
  sweepOutbox(more.by ?? db.worker, "sweeper", { retentionDays: 90, consumers, after: more.after ?? null, limit: more.limit ?? 500 });
const idsOf = async (table: "outbox" | "publications") =>
  (await sql().unsafe<{ event_id: string }[]>(`select event_id from ${table} order by event_id`)).map((row) => row.event_id);

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.close());
beforeEach(() => sql()`truncate outbox, publications, inbox, delivery_tasks, delivery_groups`);
afterEach(clearTestPoints);

describe("a published row past its retention", () => {
  it("leaves the outbox, the newest of its aggregate too; what it was and where it lies stays, its content does not", async () => {
    const aggregate = newUuid();
    const first = await old({ aggregate, seq: 1 });
    const newest = await old({ aggregate, seq: 2, days: 91 });
    const young = await old({ days: 89 });
    const publishedLate = await old({ days: 100, publishedDays: 10 });
    const before = await sql()`select * from announced_events where event_id = any (${[first, newest]}::uuid[]) order by event_id`;
    expect(await sweep()).toMatchObject({ left: 2, seen: 3 });
    expect(await idsOf("outbox")).toEqual([publishedLate, young]);
    const after = await sql()`select * from announced_events where event_id = any (${[first, newest]}::uuid[]) order by event_id`;
    expect(before.map((row) => ({ ...row, fence: null }))).toEqual(after.map((row) => ({ ...row, left_at: null })));
    expect(after.every((row) => row.left_at !== null)).toBe(true);
    const columns = await sql()`select attname from pg_attribute where attrelid = 'publications'::regclass and attnum > 0`;
    expect(columns.map((column) => column.attname)).not.toContain("payload");
    expect(await sweep()).toMatchObject({ left: 0 });
  });

  it("leaves in parts of a bounded size, and what must stay does not keep a pass from what lies behind it", async () => {
    const stays = [await old({ state: "SKIPPED", days: 300 }), await old({ state: "SKIPPED", days: 299 })];
    for (let n = 0; n < 5; n++) await old({ days: 200 - n });
    const parts: number[][] = [];
    let after: string | null = null;
    do {
      const part: Awaited<ReturnType<typeof sweep>> = await sweep({ after, limit: 2 });
      parts.push([part.seen, part.left]);
      after = part.seen < 2 ? null : part.last;
    } while (after);
    expect(parts).toEqual([
      [2, 0],
      [2, 2],
      [2, 2],
      [1, 1],
    ]);
    expect(await idsOf("outbox")).toEqual(stays);
  });

  it("is found by the primary key, however many younger rows there are", async () => {
    await sql()`
      insert into outbox (tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type, schema_version, payload)
      select ${tenant}, ${clinic}, uuidv7(), 'appointment.v1', 'k', 'appointment', uuidv7(), 1, 'AppointmentCreated', 1, '{}' from generate_series(1, 3000)`;
    await old();
    await sql()`analyze outbox`;
    // counters of other connections may come in late, and are few
    const reads = async () =>
      (
        await sql()<{ read: number }[]>`
          select idx_tup_read::int4 as read from pg_stat_user_indexes where relname = 'outbox' and indexrelname = 'outbox_pkey'`
      )[0]?.read ?? 0;
    const before = await reads();
    expect(await sweep()).toMatchObject({ left: 1, seen: 1 });
    await db.worker.$client`select pg_stat_force_next_flush()`;
    expect((await reads()) - before).toBeLessThan(1_000);
  });
});

describe("a row stays", () => {
  it.each(["PENDING", "CLAIMED", "FAILED", "SKIPPED"])("while it is %s, however old it is", async (state) => {
    const id = await old({ state });
    expect(await sweep()).toMatchObject({ left: 0, seen: 1 });
    expect(await idsOf("outbox")).toEqual([id]);
  });

  it("while nobody has taken its event, unless nobody reads its topic", async () => {
    const untaken = await old({ taken: null });
    const unread = await old({ taken: null, topic: "read.by-nobody" });
    await sweep();
    expect([await idsOf("outbox"), await idsOf("publications")]).toEqual([[untaken], [unread]]);
  });

  it("while a registered consumer has not finished its event, or an earlier one of its aggregate; not for one that is registered no more", async () => {
    const aggregate = newUuid();
    const stopped = await old({ aggregate, seq: 1, taken: "QUARANTINED" });
    const behind = await old({ aggregate, seq: 2, days: 99 });
    const other = await old({ days: 98 });
    await take(other, newUuid(), 1, "QUARANTINED", "retired");
    expect(await sweep()).toMatchObject({ left: 1 });
    expect(await idsOf("outbox")).toEqual([stopped, behind]);
    await finish(stopped);
    expect(await sweep()).toMatchObject({ left: 2 });
    expect(await idsOf("outbox")).toEqual([]);
  });
});

describe("two at once", () => {
  /** Holds the next sweep before its COMMIT, until `release` is called. */
  function holdNextSweep() {
    let release = () => {};
    let arrived = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const isThere = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    setTestPoint("outbox.swept", () => {
      clearTestPoints();
      arrived();
      return held;
    });
    return { isThere, release: () => release() };
  }

  it("sweeps on two connections move no row twice, and neither waits for what the other one, or anybody else, has locked", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await old({ days: 200 - n }));
    const other = openDb(db.urls.worker, { max: 1, applicationName: "other sweeper" });
    const locked = ids[5] as string;
    const hold = holdNextSweep();
    try {
      await sql().begin(async (tx) => {
        await tx`select 1 from outbox where event_id = ${locked} for update`;
        const first = sweep({ limit: 3 });
        await hold.isThere;
        expect(await sweep({ by: other })).toMatchObject({ seen: 6, left: 2 });
        hold.release();
        expect(await first).toMatchObject({ seen: 3, left: 3 });
      });
      expect(await idsOf("outbox")).toEqual([locked]);
      expect(await idsOf("publications")).toEqual(ids.slice(0, 5));
      expect(await sweep({ by: other })).toMatchObject({ left: 1 });
    } finally {
      hold.release();
      await other.$client.end({ timeout: 1 });
    }
  });

  const again = (aggregate: string) =>
    withTx(
      db.web,
      actor,
      (tx) => tx.sql`
        insert into outbox (tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type, schema_version, payload)
        values (${tenant}, ${clinic}, uuidv7(), 'appointment.v1', 'k', 'appointment', ${aggregate}, 7, 'AppointmentCreated', 1, '{}')`,
    ).catch((error: unknown) => error);
  const refused = (error: unknown) => [
    sqlstate(error),
    (error as { cause?: { constraint_name?: string } }).cause?.constraint_name ?? (error as { constraint_name?: string }).constraint_name,
  ];

  it("a sequence that has left is given no second time, under the name of the key", async () => {
    const aggregate = newUuid();
    await old({ aggregate, seq: 7 });
    await sweep();
    expect(refused(await again(aggregate))).toEqual(["23505", "outbox_sequence_key"]);
    expect(await again(newUuid())).toHaveLength(0);
  });

  it("nor while a sweep has it in its hands: the insert waits for it", async () => {
    const aggregate = newUuid();
    await old({ aggregate, seq: 7 });
    const hold = holdNextSweep();
    const first = sweep();
    await hold.isThere;
    const second = again(aggregate);
    expect(await untilSomebodyWaits(db.superuser, second)).toBe(true);
    hold.release();
    expect(await first).toMatchObject({ left: 1 });
    expect(refused(await second)).toEqual(["23505", "outbox_sequence_key"]);
  });
});

it("what was published is written by the sweep alone: web may neither remove nor write, and nobody changes it", async () => {
  await old();
  const tries = [
    () => withTx(db.web, actor, (tx) => tx.sql`delete from outbox`),
    () => withTx(db.web, actor, (tx) => tx.sql`delete from publications`),
    () => withTx(db.worker, { worker: "w" }, (tx) => tx.sql`update publications set log_offset = 0`),
    () => withTx(db.worker, { worker: "w" }, (tx) => tx.sql`delete from publications`),
  ];
  for (const attempt of tries) expect(sqlstate(await attempt().catch((error: unknown) => error))).toBe("42501");
});
