import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withSavepoint, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import { LogError } from "@/server/domain/event-log/port";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { appendEvent, appendEventSql, type NewEvent, outboxValues } from "./append-event";
import { claimEntries } from "./claim-entries";
import { assertLeaseLongEnough, relayOnce } from "./relay-once";

const tenant = newUuid();
const clinic = newUuid();
let db: TestDatabase;
let log: MemoryLog;

const event = (aggregateId: string, seq: number, more: Partial<NewEvent> = {}): NewEvent => ({
  commandId: newUuid(),
  tenantGroupId: tenant,
  clinicId: clinic,
  topic: "appointment.v1",
  aggregateType: "appointment",
  aggregateId,
  aggregateSeq: seq,
  type: "AppointmentStatusChanged",
  schemaVersion: 1,
  payload: {
    appointmentId: aggregateId,
    appointmentRef: "APT-7F3K2M",
    version: String(seq),
    clinicId: clinic,
    change: "STATUS_CHANGED",
    fromStatus: null,
    toStatus: "CONFIRMED",
    localDate: "2026-05-04",
    fromLocalDate: null,
    startsAt: "2026-05-04T07:00:00Z",
    endsAt: "2026-05-04T07:30:00Z",
    fromStartsAt: null,
    doctorId: clinic,
    fromDoctorId: null,
    treatmentId: clinic,
    reasonCode: null,
  },
  ...more,
});
const actor = { tenantGroupId: tenant, clinicIds: [clinic] };
const append = (...events: NewEvent[]) =>
  withTx(db.web, actor, async (tx) => {
    for (const one of events) await appendEvent(tx, one);
  });
const options = (more = {}) => ({ worker: "relay-a", clock: systemClock, random: () => 0, ...more });
const relay = (more = {}) => relayOnce(db.worker, log, options(more));
const rows = () => db.superuser.$client`
  select event_id, aggregate_id, aggregate_seq::int4 as seq, state, attempts, fence::int4 as fence, reason_code, log_id, log_partition, log_offset, lease_owner
  from outbox order by aggregate_id, aggregate_seq`;
const states = async () => (await rows()).map((row) => row.state);
const expireLeases = () => db.superuser.$client`update outbox set lease_until = clock_timestamp() - interval '1 s' where state = 'CLAIMED'`;
const published = () => log.all("appointment.v1").map((record) => Number(record.headers.ce_aggregateseq));

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  log = new MemoryLog();
  await db.superuser.$client`delete from outbox`;
});
afterEach(clearTestPoints);

describe("append", () => {
  it("an event of a change that rolls back does not exist", async () => {
    const work = withTx(db.web, actor, async (tx) => {
      await withSavepoint(tx, (sp) => appendEvent(sp, event(newUuid(), 1)));
      throw new Error("refused");
    });
    await expect(work).rejects.toThrow("refused");
    expect(await rows()).toHaveLength(0);
  });

  it("is a part of a command's one statement", async () => {
    const one = event(newUuid(), 1);
    await withTx(db.web, actor, (tx) => tx.sql`with made as (${appendEventSql(tx, one)}) select 1`);
    expect((await rows())[0]).toMatchObject({ aggregate_id: one.aggregateId, state: "PENDING" });
  });

  it("a payload that breaks its contract never becomes a row", () => {
    expect(() => outboxValues(event(newUuid(), 1, { payload: { note: "x" } }))).toThrow("breaks its contract");
    expect(() => outboxValues(event(newUuid(), 1, { type: "Unknown" }))).toThrow("no contract");
    expect(() => outboxValues(event(newUuid(), 1, { topic: "clinic-fact.v1" }))).toThrow("no contract");
  });

  it("two events with one sequence of an appointment are refused", async () => {
    const id = newUuid();
    await append(event(id, 1));
    await expect(append(event(id, 1))).rejects.toMatchObject({ code: "23505" });
  });

  it("the writer takes only a transaction", () => {
    // @ts-expect-error a pool is no transaction: what is written there survives the roll-back of the change
    const misuse = () => appendEvent(db.web, event(newUuid(), 1));
    expect(misuse).toBeTypeOf("function");
  });
});

describe("relay", () => {
  it("publishes each event of an appointment in order, one outstanding at a time, and says where it lies", async () => {
    const [a, b] = [newUuid(1), newUuid(2)];
    await append(event(a, 1), event(a, 2), event(b, 1));
    expect(await relay()).toMatchObject({ claimed: 2, published: 2 });
    expect(await states()).toEqual(["PUBLISHED", "PENDING", "PUBLISHED"]);
    expect(await relay()).toMatchObject({ claimed: 1, published: 1 });
    for (const row of await rows()) {
      const record = log.partition("appointment.v1", row.log_partition)[Number(row.log_offset)];
      expect(record?.headers.ce_id).toBe(row.event_id);
      expect(row.log_id).toBe("memory-1");
    }
    expect(await relay()).toMatchObject({ claimed: 0 });
  });

  it("an event whose transaction began earlier and commits later is published too", async () => {
    let commitFirst!: () => void;
    const held = new Promise<void>((resolve) => {
      commitFirst = resolve;
    });
    let inserted!: () => void;
    const isInserted = new Promise<void>((resolve) => {
      inserted = resolve;
    });
    const slow = db.superuser.$client.begin(async (sql) => {
      const row = outboxValues(event(newUuid(), 1));
      await sql`insert into outbox ${sql(snake(row))}`;
      inserted();
      await held;
    });
    await isInserted;
    await append(event(newUuid(), 1));
    expect(await relay()).toMatchObject({ published: 1 });
    commitFirst();
    await slow;
    expect(await relay()).toMatchObject({ published: 1 });
    expect(await states()).toEqual(["PUBLISHED", "PUBLISHED"]);
  });

  it("claims the head of a key only, and never more than its limit", async () => {
    const ids = Array.from({ length: 20 }, newUuid);
    for (const id of ids) await append(event(id, 1), event(id, 2), event(id, 3));
    const first = await claimEntries(db.worker, { worker: "a", limit: 5, leaseMs: 30_000 });
    expect(first).toHaveLength(5);
    const rest = await claimEntries(db.worker, { worker: "b", limit: 100, leaseMs: 30_000 });
    expect(rest).toHaveLength(15);
    expect([...first, ...rest].every((entry) => entry.aggregateSeq === "1")).toBe(true);
  });

  it("two relays under stress never publish a key out of order, and publish nothing twice", async () => {
    const ids = Array.from({ length: 12 }, newUuid);
    for (const id of ids) await append(...[1, 2, 3, 4, 5].map((seq) => event(id, seq)));
    const drain = async (worker: string) => {
      while ((await states()).includes("PENDING")) await relay({ worker, limit: 7 });
    };
    await Promise.all([drain("relay-a"), drain("relay-b"), drain("relay-c")]);
    await relay();
    for (const id of ids) {
      const seen = log.all("appointment.v1").filter((record) => record.headers.ce_subject === `appointment/${id}`);
      expect(seen.map((record) => record.headers.ce_aggregateseq)).toEqual(["1", "2", "3", "4", "5"]);
    }
  });

  it("a crash between publish and mark publishes the same event again, under the same identity, after the lease", async () => {
    await append(event(newUuid(), 1));
    setTestPoint("relay.afterPublish", () => {
      throw new Error("killed");
    });
    await expect(relay()).rejects.toThrow("killed");
    clearTestPoints();
    expect(await relay()).toMatchObject({ claimed: 0 }); // the lease lives
    await expireLeases();
    expect(await relay({ worker: "relay-b" })).toMatchObject({ published: 1 });
    const [first, second] = log.all("appointment.v1");
    expect(second?.headers).toEqual(first?.headers);
    expect(second?.value).toBe(first?.value);
    expect((await rows())[0]).toMatchObject({ state: "PUBLISHED", fence: 2, log_offset: "1" });
  });

  it("a late relay whose lease expired cannot overwrite the mark of another", async () => {
    await append(event(newUuid(), 1));
    setTestPoint("relay.afterPublish", async () => {
      clearTestPoints();
      await expireLeases();
      await relay({ worker: "relay-b" });
    });
    expect(await relay()).toMatchObject({ published: 0, fenced: 1 });
    expect((await rows())[0]).toMatchObject({ state: "PUBLISHED", fence: 2, log_offset: "1" });
  });

  it("an outage of the log is no attempt: the entry is PENDING again at once", async () => {
    await append(event(newUuid(), 1), event(newUuid(), 1));
    log.beforePublish = () => {
      throw new LogError("UNAVAILABLE", "down");
    };
    for (let i = 0; i < 10; i++) expect(await relay()).toMatchObject({ outage: "UNAVAILABLE", released: 2, failed: 0 });
    expect((await rows()).map((row) => [row.state, row.attempts])).toEqual([
      ["PENDING", 0],
      ["PENDING", 0],
    ]);
    log.beforePublish = () => {};
    expect(await relay()).toMatchObject({ published: 2 });
  });

  it("an unknown outcome is published again rather than lost", async () => {
    await append(event(newUuid(), 1));
    log.afterPublish = () => {
      throw new LogError("UNAVAILABLE", "the answer was lost");
    };
    expect(await relay()).toMatchObject({ outage: "UNAVAILABLE", released: 1 });
    log.afterPublish = () => {};
    expect(await relay()).toMatchObject({ published: 1 });
    expect(new Set(log.all("appointment.v1").map((record) => record.headers.ce_id)).size).toBe(1);
    expect(published()).toEqual([1, 1]);
  });

  it("a poison head fails after its attempts and blocks its key only", async () => {
    const [poison, healthy] = [newUuid(), newUuid()];
    await append(event(poison, 1), event(poison, 2), event(healthy, 1));
    await db.superuser
      .$client`update outbox set payload = payload || '{"note": "not of the contract"}' where aggregate_id = ${poison} and aggregate_seq = 1`;
    expect(await relay()).toMatchObject({ published: 1, retried: 1 });
    expect(await relay()).toMatchObject({ retried: 1 });
    expect(await relay()).toMatchObject({ failed: 1 });
    expect(await relay()).toMatchObject({ claimed: 0 });
    const all = await rows();
    expect(all.find((row) => row.aggregate_id === poison && row.seq === 1)).toMatchObject({
      state: "FAILED",
      attempts: 3,
      reason_code: "INVALID_PAYLOAD",
    });
    expect(all.find((row) => row.aggregate_id === poison && row.seq === 2)).toMatchObject({ state: "PENDING" });
  });

  it("a skipped head lets its key go on", async () => {
    const id = newUuid();
    await append(event(id, 1), event(id, 2));
    await db.superuser.$client`update outbox set state = 'SKIPPED', reason_code = 'STAFF_SKIPPED' where aggregate_seq = 1`;
    expect(await relay()).toMatchObject({ published: 1 });
    expect(published()).toEqual([2]);
  });

  it("one record that the log refuses does not count against its neighbours", async () => {
    await append(event(newUuid(), 1), event(newUuid(), 2), event(newUuid(), 1));
    log.beforePublish = (records) => {
      if (records.some((record) => record.headers.ce_aggregateseq === "2")) throw new LogError("TOO_LARGE", "no");
    };
    expect(await relay()).toMatchObject({ published: 2, retried: 1 });
    expect((await rows()).filter((row) => row.state === "PENDING")).toMatchObject([{ attempts: 1, reason_code: "TOO_LARGE", seq: 2 }]);
  });

  it("a relay that is told to stop gives back what it holds", async () => {
    await append(event(newUuid(), 1));
    const stop = new AbortController();
    setTestPoint("relay.afterClaim", () => stop.abort());
    expect(await relay({ signal: stop.signal })).toMatchObject({ claimed: 1, published: 0, released: 1 });
    expect((await rows())[0]).toMatchObject({ state: "PENDING", lease_owner: null, attempts: 0 });
  });

  it("does not publish when too little of the lease is left", async () => {
    await append(event(newUuid(), 1));
    let nowMs = 0;
    setTestPoint("relay.afterClaim", () => {
      nowMs = 25_000;
    });
    expect(await relay({ clock: { monotonicMs: () => nowMs } })).toMatchObject({ published: 0, released: 1 });
    expect(published()).toEqual([]);
    expect(() => assertLeaseLongEnough(5_000)).toThrow("shorter");
  });

  it("the claim reads the unpublished rows only, however many were published before", async () => {
    await db.superuser.$client`
      insert into outbox (tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type,
        schema_version, payload, state, published_at, log_id, log_partition, log_offset)
      select ${tenant}, ${clinic}, uuidv7(), 'appointment.v1', 'k', 'appointment', uuidv7(), 1, 'AppointmentCreated', 1, '{}', 'PUBLISHED',
        clock_timestamp(), 'l', 0, n
      from generate_series(1, 5000) n`;
    await append(event(newUuid(), 1), event(newUuid(), 1));
    await db.superuser.$client`vacuum analyze outbox`;
    const plan = await db.superuser.$client`
      explain (analyze, format text, buffers off, timing off, costs off)
      select o.event_id from outbox o
      where o.state not in ('PUBLISHED', 'SKIPPED') and (o.state = 'PENDING' and (o.next_attempt_at is null or o.next_attempt_at <= clock_timestamp()) or o.state = 'CLAIMED' and o.lease_until <= clock_timestamp())
        and not exists (select 1 from outbox e where e.aggregate_type = o.aggregate_type and e.aggregate_id = o.aggregate_id and e.aggregate_seq < o.aggregate_seq and e.state not in ('PUBLISHED', 'SKIPPED'))
      order by o.occurred_at limit 100 for update of o skip locked`;
    const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
    expect(text).not.toContain("Seq Scan");
    for (const [, count] of text.matchAll(/actual rows=(\d+)/g)) expect(Number(count)).toBeLessThan(10);
  });
});

const snake = (row: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]));
