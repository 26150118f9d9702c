import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { parseDigestKeys } from "@/server/canonical-hash";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import { LogError, type LogRecord, type NewRecord } from "@/server/domain/event-log/port";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { processBatch } from "./process-batch";
import { retryOnce } from "./retry-once";
import {
  effectConsumer,
  insertTestScope,
  makeEffectsTable,
  sampleRecord,
  type TestScope,
  testControl,
  testRing,
  testRuntime,
} from "./testing";
import { done, type InboxRuntime, type LogicalConsumer, noEffect, quarantine, retryLater } from "./types";

const topic = "appointment.v1";
let db: TestDatabase;
let log: MemoryLog;
let scope: TestScope;
let other: TestScope;

beforeAll(async () => {
  db = await createTestDatabase();
  await makeEffectsTable(db.superuser);
  scope = await insertTestScope(db.superuser);
  other = await insertTestScope(db.superuser);
});
afterAll(() => db.close());
beforeEach(async () => {
  log = new MemoryLog();
  await db.superuser.$client`truncate inbox, inbox_deliveries, inbox_sequences, inbox_rejections, test_effects`;
});
afterEach(clearTestPoints);

const publish = async (...records: NewRecord[]): Promise<LogRecord[]> => {
  const positions = await log.publish(topic, records);
  return positions.map(({ partition, offset }) => log.partition(topic, partition)[Number(offset)] as LogRecord);
};
const deliver = (consumer: LogicalConsumer, records: LogRecord[], runtime: Partial<InboxRuntime> = {}) =>
  processBatch(testRuntime(db.worker, runtime), consumer, records, testControl());
const retry = (consumer: LogicalConsumer, runtime: Partial<InboxRuntime> = {}) =>
  retryOnce(testRuntime(db.worker, runtime), log, [consumer], testControl());
const rows = () => db.superuser.$client`
  select event_id, aggregate_seq::int4 as seq, state, attempts, fence::int4 as fence, reason_code, effect, blocked_by, lease_owner, next_attempt_at,
    last_offset, version::int4 as version
  from inbox order by aggregate_id, aggregate_seq`;
const states = async () => (await rows()).map((row) => row.state);
const effects = async () => (await db.superuser.$client`select seq::int4 as seq from test_effects order by n`).map((row) => row.seq);
const deliveries = async () =>
  (await db.superuser.$client`select attempt, outcome, reason_code from inbox_deliveries order by at, id`).map((row) =>
    [row.attempt, row.outcome, row.reason_code].filter((part) => part !== null).join(" "),
  );
const makeDue = () => db.superuser.$client`update inbox set next_attempt_at = clock_timestamp() where next_attempt_at is not null`;
const expireLeases = () =>
  db.superuser.$client`update inbox set lease_until = clock_timestamp() - interval '1 s' where state = 'PROCESSING'`;
const ordered = (id: string, ...seqs: number[]) => seqs.map((seq) => sampleRecord(scope, id, seq));
const fail = () => {
  throw new Error("handler failed");
};

describe("a batch", () => {
  it("is applied in one transaction, a hundred events or one", async () => {
    const records = await publish(...Array.from({ length: 100 }, () => sampleRecord(scope, newUuid(), 1)));
    let handled = 0;
    const consumer = effectConsumer((_, events) => {
      handled = events.length;
      return done;
    });
    await deliver(consumer, [records.pop() as LogRecord]); // knows the clinic from here on
    const counts = await deliver(consumer, records);
    expect(counts).toMatchObject({ received: 99, processed: 99 });
    expect(handled).toBe(99);
    expect(await states()).toEqual(Array(100).fill("PROCESSED"));
    expect(await effects()).toHaveLength(100);
    const [row] = await db.superuser.$client`select count(distinct xmin::text)::int4 as transactions from inbox`;
    expect(row?.transactions).toBe(2); // the first one alone, and all the others together
  });

  it("holds one tenant group for each transaction, and row-level security keeps the handler in it", async () => {
    const seen: string[][] = [];
    const consumer: LogicalConsumer = {
      ...effectConsumer(),
      handle: async (tx, events) => {
        seen.push(events.map((event) => event.tenantGroupId));
        const visible = await tx.sql`select id from tenant_groups`;
        expect(visible.map((row) => row.id)).toEqual([events[0]?.tenantGroupId]);
        return events.map(() => done);
      },
    };
    const records = await publish(...[scope, other, scope, other].map((one) => sampleRecord(one, newUuid(), 1)));
    expect(await deliver(consumer, records)).toMatchObject({ processed: 4 });
    expect(seen).toEqual([Array(2).fill(scope.tenantGroupId), Array(2).fill(other.tenantGroupId)]);
  });

  it("events of one appointment are handled in order within it", async () => {
    const id = newUuid();
    expect(await deliver(effectConsumer(), await publish(...ordered(id, 1, 2, 3)))).toMatchObject({ processed: 3 });
    expect(await effects()).toEqual([1, 2, 3]);
    expect(await db.superuser.$client`select last_applied_seq::int4 as n from inbox_sequences`).toEqual([{ n: 3 }]);
  });

  it("one bad event neither undoes nor counts against its neighbours", async () => {
    const bad = newUuid();
    const records = await publish(
      sampleRecord(scope, newUuid(), 1),
      sampleRecord(scope, newUuid(), 1, { eventId: bad }),
      sampleRecord(scope, newUuid(), 1),
    );
    const consumer = effectConsumer((event) => (event.eventId === bad ? fail() : done));
    expect(await deliver(consumer, records)).toMatchObject({ processed: 2, retryable: 1 });
    const all = await rows();
    expect(all.filter((row) => row.event_id === bad)).toMatchObject([{ state: "RETRYABLE", attempts: 1, reason_code: "HANDLER_FAILED" }]);
    expect(all.filter((row) => row.event_id !== bad).map((row) => [row.state, row.attempts])).toEqual([
      ["PROCESSED", 1],
      ["PROCESSED", 1],
    ]);
    expect(await effects()).toHaveLength(2);
  });

  it("what a handler wrote for an event that it then puts off is undone", async () => {
    const [record] = await publish(...ordered(newUuid(), 1));
    await deliver(
      effectConsumer(() => retryLater("LATER")),
      [record as LogRecord],
    );
    expect(await effects()).toEqual([]);
    expect(await rows()).toMatchObject([{ state: "RETRYABLE", reason_code: "LATER", attempts: 1 }]);
  });

  it("an event without effect is PROCESSED and says why", async () => {
    await deliver(
      effectConsumer(() => noEffect("VISIT_MOVED_ON")),
      await publish(...ordered(newUuid(), 1)),
    );
    expect(await rows()).toMatchObject([{ state: "PROCESSED", effect: "NO_EFFECT", reason_code: "VISIT_MOVED_ON" }]);
  });

  it("a handler that answers for fewer events than it was given fails", async () => {
    const consumer: LogicalConsumer = { ...effectConsumer(), handle: async () => [] };
    await deliver(consumer, await publish(...ordered(newUuid(), 1)));
    expect(await rows()).toMatchObject([{ state: "RETRYABLE", reason_code: "HANDLER_FAILED" }]);
  });
});

describe("the same event again", () => {
  it("at the same offset and at another one is a DUPLICATE, not a forgery", async () => {
    const record = sampleRecord(scope, newUuid(), 1);
    const [first, copy] = await publish(record, record);
    await deliver(effectConsumer(), [first as LogRecord]);
    expect(await deliver(effectConsumer(), [first as LogRecord])).toMatchObject({ duplicate: 1, processed: 0 });
    expect(await deliver(effectConsumer(), [copy as LogRecord])).toMatchObject({ duplicate: 1, processed: 0 });
    expect(await effects()).toEqual([1]);
    expect(await rows()).toMatchObject([{ state: "PROCESSED", last_offset: copy?.position.offset, attempts: 1, version: 2 }]);
    expect(await deliveries()).toEqual(["1 PROCESSED", "DUPLICATE", "DUPLICATE"]);
  });

  it("twice within one batch has one effect", async () => {
    const record = sampleRecord(scope, newUuid(), 1);
    expect(await deliver(effectConsumer(), await publish(record, record))).toMatchObject({ processed: 1, duplicate: 1 });
    expect(await effects()).toEqual([1]);
  });

  it("is a DUPLICATE for the key with which its digest was made, after the key was changed", async () => {
    const [record] = await publish(...ordered(newUuid(), 1));
    await deliver(effectConsumer(), [record as LogRecord]);
    const oldKey = testRing.keys.get("k1")?.toString("base64");
    const ring = parseDigestKeys(`k2:${Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7)).toString("base64")},k1:${oldKey}`);
    expect(await deliver(effectConsumer(), [record as LogRecord], { ring })).toMatchObject({ duplicate: 1 });
  });

  it("with another content is an IDENTITY_CONFLICT: an unfinished row is quarantined", async () => {
    const [id, eventId] = [newUuid(), newUuid()];
    await deliver(
      effectConsumer(() => retryLater("LATER")),
      await publish(sampleRecord(scope, id, 1, { eventId })),
    );
    const forged = await publish(sampleRecord(scope, id, 1, { eventId, toStatus: "CANCELLED" }));
    expect(await deliver(effectConsumer(), forged)).toMatchObject({ quarantined: 1, processed: 0 });
    expect(await rows()).toMatchObject([{ state: "QUARANTINED", reason_code: "IDENTITY_CONFLICT" }]);
    expect(await effects()).toEqual([]);
  });

  it("with another content leaves a PROCESSED row and its effect, and is written down for the alert", async () => {
    const [id, eventId] = [newUuid(), newUuid()];
    await deliver(effectConsumer(), await publish(sampleRecord(scope, id, 1, { eventId })));
    await deliver(effectConsumer(), await publish(sampleRecord(scope, id, 1, { eventId, toStatus: "CANCELLED" })));
    expect(await states()).toEqual(["PROCESSED"]);
    expect(await effects()).toEqual([1]);
    expect(await deliveries()).toEqual(["1 PROCESSED", "QUARANTINED IDENTITY_CONFLICT"]);
    expect(await db.superuser.$client`select reason_code from inbox_rejections`).toEqual([{ reason_code: "IDENTITY_CONFLICT" }]);
  });

  it("before its next attempt is due starts no second attempt", async () => {
    const [record] = await publish(...ordered(newUuid(), 1));
    await deliver(
      effectConsumer(() => retryLater("LATER", "2099-01-01T00:00:00Z")),
      [record as LogRecord],
    );
    expect(await deliver(effectConsumer(), [record as LogRecord])).toMatchObject({ waiting: 1, processed: 0 });
    expect(await rows()).toMatchObject([{ state: "RETRYABLE", attempts: 1, fence: 1 }]);
  });

  it("for two consumers is done once by each", async () => {
    const records = await publish(...ordered(newUuid(), 1));
    await deliver(effectConsumer(), records);
    await deliver(effectConsumer(undefined, { id: "test-other-v1" }), records);
    expect(await effects()).toEqual([1, 1]);
  });
});

describe("records that cannot be handled", () => {
  it("of an unknown version are quarantined at once, and later events of the appointment wait behind them", async () => {
    const id = newUuid();
    const [first, second] = ordered(id, 1, 2) as [NewRecord, NewRecord];
    first.headers.ce_dataschema = "urn:appointment-operations:AppointmentStatusChanged:9";
    expect(await deliver(effectConsumer(), await publish(first, second))).toMatchObject({ quarantined: 1, blocked: 1, processed: 0 });
    const [bad, behind] = await rows();
    expect(bad).toMatchObject({ state: "QUARANTINED", reason_code: "UNSUPPORTED_SCHEMA", attempts: 0 });
    expect(behind).toMatchObject({ state: "RETRYABLE", reason_code: "BLOCKED_BY", attempts: 0 });
  });

  it("without a readable identity, or of a clinic that is not the tenant's, leave position, digest and reason only", async () => {
    const nameless = { ...sampleRecord(scope, newUuid(), 1), headers: {} };
    const foreign = sampleRecord({ tenantGroupId: other.tenantGroupId, clinicId: scope.clinicId }, newUuid(), 1);
    const records = await publish(nameless, foreign);
    expect(await deliver(effectConsumer(), records)).toMatchObject({ rejected: 2, processed: 0 });
    expect(await deliver(effectConsumer(), records)).toMatchObject({ rejected: 2 });
    const found = await db.superuser.$client`select reason_code from inbox_rejections order by reason_code`;
    expect(found.map((row) => row.reason_code)).toEqual(["INVALID_ENVELOPE", "SCOPE_MISMATCH"]);
    expect(await rows()).toHaveLength(0);
  });
});

describe("attempts", () => {
  it("end in quarantine after the fifth, each with its reason, backed off in between", async () => {
    await deliver(effectConsumer(fail), await publish(...ordered(newUuid(), 1)), { random: () => 0.5 });
    const [waiting] = await db.superuser.$client`select extract(epoch from next_attempt_at - clock_timestamp())::float8 as s from inbox`;
    expect(waiting?.s).toBeGreaterThan(0.5);
    expect(waiting?.s).toBeLessThanOrEqual(1);
    for (let n = 2; n <= 5; n++) {
      await makeDue();
      await retry(effectConsumer(fail));
    }
    expect(await rows()).toMatchObject([{ state: "QUARANTINED", reason_code: "ATTEMPTS_EXHAUSTED", attempts: 5, fence: 5 }]);
    expect(await deliveries()).toEqual([
      "1 RETRYABLE HANDLER_FAILED",
      "2 RETRYABLE HANDLER_FAILED",
      "3 RETRYABLE HANDLER_FAILED",
      "4 RETRYABLE HANDLER_FAILED",
      "5 QUARANTINED HANDLER_FAILED",
    ]);
    expect(await retry(effectConsumer())).toMatchObject({ due: 0 });
  });

  it("are made by the scheduler when due, from the record read again, with the effect of a first delivery", async () => {
    await deliver(
      effectConsumer(() => retryLater("LATER")),
      await publish(...ordered(newUuid(), 1)),
    );
    await makeDue();
    expect(await retry(effectConsumer())).toMatchObject({ due: 1, processed: 1 });
    expect(await rows()).toMatchObject([{ state: "PROCESSED", attempts: 2, fence: 2, reason_code: null }]);
    expect(await effects()).toEqual([1]);
  });

  it("count when the process dies of them: a dead worker's row is taken over by attempt and fence, and ends in quarantine", async () => {
    const [record] = await publish(...ordered(newUuid(), 1));
    setTestPoint("inbox.afterClaim", fail); // the process ends right after the claim
    await deliver(effectConsumer(), [record as LogRecord]).catch(() => {});
    for (let n = 1; n <= 4; n++) {
      await expireLeases();
      const [before] = await rows();
      expect(before).toMatchObject({ attempts: n, fence: n });
      setTestPoint("retry.afterClaim", fail); // dies right after the claim
      await retry(effectConsumer(), { worker: `worker-${n}` }).catch(() => {});
    }
    await expireLeases();
    clearTestPoints();
    expect(await retry(effectConsumer())).toMatchObject({ quarantined: 1 });
    expect(await rows()).toMatchObject([{ state: "QUARANTINED", reason_code: "ATTEMPTS_EXHAUSTED", attempts: 5 }]);
    expect(await effects()).toEqual([]);
    expect((await deliveries()).filter((text) => text.includes("LEASE_EXPIRED"))).toHaveLength(5);
  });

  it("are not used up by an outage of the database: the consumer pauses, then finishes the same attempt", async () => {
    const records = await publish(...Array.from({ length: 3 }, () => sampleRecord(scope, newUuid(), 1)));
    let cuts = 0;
    setTestPoint("inbox.afterHandler", async () => {
      if (cuts++ < 3) await killSessions();
    });
    expect(await deliver(effectConsumer(), records)).toMatchObject({ processed: 3 });
    expect(cuts).toBe(4);
    expect((await rows()).map((row) => [row.state, row.attempts])).toEqual(Array(3).fill(["PROCESSED", 1]));
    expect(await effects()).toHaveLength(3);
  });

  describe("whose claim was not on disk when the database server crashed, while the consumer lived on,", () => {
    const crashOnceAt = (point: string) => {
      let isFirst = true;
      setTestPoint(point, async () => {
        if (isFirst) await db.superuser.$client`delete from inbox`; // as its recovery leaves it
        isFirst = false;
      });
    };

    it.each([
      ["one event", 1],
      ["a batch", 3],
    ])("are made anew, and nothing is lost: %s", async (_, count) => {
      const records = await publish(...Array.from({ length: count }, () => sampleRecord(scope, newUuid(), 1)));
      crashOnceAt("inbox.afterClaim");
      expect(await deliver(effectConsumer(), records)).toMatchObject({ processed: count, fenced: 0, duplicate: 0 });
      expect((await rows()).map((row) => [row.state, row.attempts])).toEqual(Array(count).fill(["PROCESSED", 1]));
      expect(await effects()).toEqual(Array(count).fill(1));
      expect(await deliveries()).toEqual(Array(count).fill("1 PROCESSED"));
    });

    it("are made anew when their handler failed first", async () => {
      const records = await publish(...ordered(newUuid(), 1, 2));
      crashOnceAt("inbox.beforeSettle");
      expect(
        await deliver(
          effectConsumer(({ aggregateSeq }) => (aggregateSeq === "1" ? retryLater("LATER") : done)),
          records,
        ),
      ).toMatchObject({ retryable: 1, blocked: 1 });
      expect((await rows()).map((row) => [row.seq, row.state, row.reason_code])).toEqual([
        [1, "RETRYABLE", "LATER"],
        [2, "RETRYABLE", "BLOCKED_BY"],
      ]);
    });
  });

  it("are not used up by an outage of the log: the scheduler reads again later", async () => {
    await deliver(
      effectConsumer(() => retryLater("LATER")),
      await publish(...ordered(newUuid(), 1)),
    );
    await makeDue();
    log.beforeReadAt = () => {
      throw new LogError("UNAVAILABLE", "down");
    };
    for (let n = 0; n < 10; n++) expect(await retry(effectConsumer())).toMatchObject({ outage: "UNAVAILABLE", processed: 0 });
    expect(await rows()).toMatchObject([{ state: "RETRYABLE", attempts: 1 }]);
  });

  it("of an event whose locks are never free end, although a busy database is an outage for others", async () => {
    const busy = Object.assign(new Error("lock timeout"), { code: "55P03", severity: "ERROR" });
    let tries = 0;
    const consumer = effectConsumer(() => {
      tries += 1;
      throw busy;
    });
    await deliver(consumer, await publish(...ordered(newUuid(), 1)));
    expect(tries).toBe(3);
    expect(await rows()).toMatchObject([{ state: "RETRYABLE", reason_code: "DATABASE_BUSY", attempts: 1 }]);
  });
});

describe("what the scheduler reads again", () => {
  const storeWaiting = async () => {
    const [record] = await publish(...ordered(newUuid(), 1));
    await deliver(
      effectConsumer(() => retryLater("LATER")),
      [record as LogRecord],
    );
    await makeDue();
    return record as LogRecord;
  };

  it("is gone from the log: EXPIRED", async () => {
    const { position } = await storeWaiting();
    log.partition(topic, position.partition).pop();
    expect(await retry(effectConsumer())).toMatchObject({ quarantined: 1 });
    expect(await rows()).toMatchObject([{ state: "QUARANTINED", reason_code: "EXPIRED" }]);
  });

  it("is another record at that position, or the same event with another content: MISMATCH", async () => {
    for (const forge of [
      () => sampleRecord(scope, newUuid(), 1),
      (eventId: string, id: string) => sampleRecord(scope, id, 1, { eventId, toStatus: "CANCELLED" }),
    ]) {
      await db.superuser.$client`truncate inbox, inbox_deliveries`;
      const record = await storeWaiting();
      const id = record.headers.ce_subject?.split("/")[1] as string;
      Object.assign(record, forge(record.headers.ce_id as string, id));
      expect(await retry(effectConsumer())).toMatchObject({ quarantined: 1 });
      expect(await rows()).toMatchObject([{ state: "QUARANTINED", reason_code: "MISMATCH" }]);
    }
    expect(await effects()).toEqual([]);
  });

  it("lies in a log that is not read any more: OTHER_LOG, without a look at the same offset of this one", async () => {
    await storeWaiting();
    expect(await retry(effectConsumer(), { logId: "memory-2" })).toMatchObject({ quarantined: 1 });
    expect(await rows()).toMatchObject([{ reason_code: "OTHER_LOG" }]);
  });
});

describe("order", () => {
  it("later events of an appointment wait behind an unfinished one, use no attempt, and run when it is settled", async () => {
    const id = newUuid();
    let isOpen = false;
    const consumer = effectConsumer((event) => (event.aggregateSeq === "1" && !isOpen ? retryLater("LATER") : done));
    const neighbour = sampleRecord(scope, newUuid(), 1);
    await deliver(consumer, await publish(...ordered(id, 1, 2), neighbour));
    await deliver(consumer, await publish(...ordered(id, 3)));
    const own = async () => await db.superuser.$client`select * from inbox where aggregate_id = ${id} order by aggregate_seq`;
    const [first, second, third] = await own();
    expect([second, third].map((row) => [row?.state, row?.reason_code, row?.blocked_by, row?.attempts])).toEqual(
      Array(2).fill(["RETRYABLE", "BLOCKED_BY", first?.id, 0]),
    );
    isOpen = true;
    await makeDue();
    await retry(consumer); // settles the first, which makes the others due
    await retry(consumer);
    await retry(consumer);
    expect((await own()).map((row) => [row.state, row.attempts])).toEqual([
      ["PROCESSED", 2],
      ["PROCESSED", 1],
      ["PROCESSED", 1],
    ]);
    expect(
      (await db.superuser.$client`select seq::int4 as seq from test_effects where aggregate_id = ${id} order by n`).map((row) => row.seq),
    ).toEqual([1, 2, 3]);
  });

  it("a quarantined event keeps the later ones of its appointment waiting, and no others", async () => {
    const id = newUuid();
    const consumer = effectConsumer((event) => (event.aggregateId === id && event.aggregateSeq === "1" ? quarantine("BAD") : done));
    await deliver(consumer, await publish(...ordered(id, 1, 2), sampleRecord(scope, newUuid(), 1)));
    await retry(consumer);
    expect(
      (await db.superuser.$client`select state from inbox where aggregate_id = ${id} order by aggregate_seq`).map((row) => row.state),
    ).toEqual(["QUARANTINED", "RETRYABLE"]);
    expect(await effects()).toHaveLength(1);
  });

  it("a missing predecessor is a GAP: waits, bounded, then quarantine", async () => {
    const id = newUuid();
    await deliver(effectConsumer(), await publish(...ordered(id, 2)));
    expect(await rows()).toMatchObject([{ state: "RETRYABLE", reason_code: "GAP", attempts: 1 }]);
    for (let n = 2; n <= 5; n++) {
      await makeDue();
      await retry(effectConsumer());
    }
    expect(await rows()).toMatchObject([{ state: "QUARANTINED", reason_code: "GAP", attempts: 5 }]);
    expect(await effects()).toEqual([]);
  });

  it("a GAP closes when the predecessor comes", async () => {
    const id = newUuid();
    const [one, two] = (await publish(...ordered(id, 1, 2))) as [LogRecord, LogRecord];
    await deliver(effectConsumer(), [two]);
    await deliver(effectConsumer(), [one]);
    await makeDue();
    await retry(effectConsumer());
    expect(await effects()).toEqual([1, 2]);
  });

  it("an event below the applied sequence has no effect and counts as DUPLICATE", async () => {
    const id = newUuid();
    await deliver(effectConsumer(), await publish(...ordered(id, 1, 2)));
    await deliver(effectConsumer(), await publish(...ordered(id, 1))); // another event with a used sequence
    expect(await effects()).toEqual([1, 2]);
    expect((await deliveries()).at(-1)).toBe("1 DUPLICATE SEQUENCE_REGRESSION");
  });

  it("a commutative consumer needs none of it", async () => {
    const id = newUuid();
    const consumer = effectConsumer(undefined, { order: "commutative" });
    await deliver(consumer, await publish(...ordered(id, 3)));
    await deliver(consumer, await publish(...ordered(id, 1)));
    expect(await effects()).toEqual([3, 1]);
  });

  it("a row stored behind one that settles at the same moment is found by the scheduler", async () => {
    const id = newUuid();
    await deliver(
      effectConsumer(() => retryLater("LATER")),
      await publish(...ordered(id, 1)),
    );
    await deliver(effectConsumer(), await publish(...ordered(id, 2)));
    await db.superuser.$client`
      update inbox set state = 'PROCESSED', effect = 'APPLIED', processed_at = clock_timestamp(), next_attempt_at = null, reason_code = null where aggregate_seq = 1`;
    await db.superuser
      .$client`insert into inbox_sequences values (${scope.tenantGroupId}, ${scope.clinicId}, 'test-effects-v1', 'appointment', ${id}, 1)`;
    expect(await retry(effectConsumer())).toMatchObject({ released: 1, processed: 1 });
  });
});

describe("two workers", () => {
  it("a late worker whose lease expired cannot overwrite PROCESSED, and its attempt ends FENCED", async () => {
    const records = await publish(...ordered(newUuid(), 1));
    setTestPoint("inbox.afterClaim", async () => {
      clearTestPoints();
      await expireLeases();
      expect(await retry(effectConsumer(), { worker: "worker-b" })).toMatchObject({ processed: 1 });
    });
    expect(await deliver(effectConsumer(), records)).toMatchObject({ processed: 0, fenced: 1 });
    expect(await effects()).toEqual([1]);
    expect(await rows()).toMatchObject([{ state: "PROCESSED", fence: 2, attempts: 2 }]);
    expect(await deliveries()).toEqual(["1 RETRYABLE LEASE_EXPIRED", "2 PROCESSED", "1 FENCED"]);
  });

  it("a late worker's failure does not overwrite PROCESSED either", async () => {
    const records = await publish(...ordered(newUuid(), 1));
    setTestPoint("inbox.beforeSettle", async () => {
      clearTestPoints();
      await expireLeases();
      await retry(effectConsumer(), { worker: "worker-b" });
    });
    expect(await deliver(effectConsumer(fail), records)).toMatchObject({ fenced: 1, retryable: 0 });
    expect(await rows()).toMatchObject([{ state: "PROCESSED", fence: 2 }]);
  });

  it("a worker in its effect transaction cannot be taken over, although its lease ran out", async () => {
    const records = await publish(...ordered(newUuid(), 1));
    let reached!: () => void;
    let goOn!: () => void;
    const isReached = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    setTestPoint("inbox.afterLock", () => {
      reached();
      return mayGoOn;
    });
    const late = deliver(effectConsumer(), records, { leaseMs: 1 });
    await isReached;
    expect(await retry(effectConsumer(), { worker: "worker-b" })).toMatchObject({ due: 1, processed: 0, fenced: 0 });
    goOn();
    expect(await late).toMatchObject({ processed: 1 });
    expect(await effects()).toEqual([1]);
  });

  it("a delivery that meets a live lease waits a bounded time, then leaves the row to the scheduler", async () => {
    const records = await publish(...ordered(newUuid(), 1));
    let second: unknown;
    setTestPoint("inbox.afterClaim", async () => {
      clearTestPoints();
      second = await deliver(effectConsumer(), records, { worker: "worker-b" });
    });
    await deliver(effectConsumer(), records);
    expect(second).toMatchObject({ waiting: 1, processed: 0 });
    expect(await effects()).toEqual([1]);
    expect(await deliveries()).toEqual(["RETRYABLE LIVE_LEASE", "1 PROCESSED"]);
  });

  it("racing over the same records have one effect for each event, in order", async () => {
    const ids = Array.from({ length: 8 }, newUuid);
    const records = await publish(...ids.flatMap((id) => ordered(id, 1, 2, 3)));
    await Promise.all(["a", "b", "c"].map((worker) => deliver(effectConsumer(), records, { worker })));
    for (let n = 0; n < 10 && (await states()).some((state) => state !== "PROCESSED"); n++) {
      await makeDue();
      await expireLeases();
      await Promise.all(["a", "b"].map((worker) => retry(effectConsumer(), { worker })));
    }
    for (const id of ids) {
      const seen = await db.superuser.$client`select seq::int4 as seq from test_effects where aggregate_id = ${id} order by n`;
      expect(seen.map((row) => row.seq)).toEqual([1, 2, 3]);
    }
  });

  it("fences of one row only grow", async () => {
    await deliver(effectConsumer(fail), await publish(...ordered(newUuid(), 1)));
    for (let n = 0; n < 3; n++) {
      await makeDue();
      await retry(effectConsumer(fail));
    }
    const fences = (await db.superuser.$client`select fence::int4 as fence from inbox_deliveries order by at, id`).map((row) => row.fence);
    expect(fences).toEqual([1, 2, 3, 4]);
  });
});

describe("stop", () => {
  it("gives back what was claimed and not run: due at once, no attempt used, and the offset must not move", async () => {
    const records = await publish(...Array.from({ length: 3 }, () => sampleRecord(scope, newUuid(), 1)));
    const stop = new AbortController();
    let handled = 0;
    const consumer = effectConsumer((_, events) => {
      if (events.length > 1) return retryLater("ONE_BY_ONE");
      if (++handled === 1) stop.abort();
      return done;
    });
    const work = processBatch(testRuntime(db.worker), consumer, records, testControl(stop.signal));
    await expect(work).rejects.toMatchObject({ name: "Stopped" });
    expect((await rows()).map((row) => [row.state, row.reason_code, row.attempts]).sort()).toEqual([
      ["PROCESSED", null, 1],
      ["RETRYABLE", "RELEASED", 0],
      ["RETRYABLE", "RELEASED", 0],
    ]);
    expect(await retry(effectConsumer())).toMatchObject({ processed: 2 });
    expect(await effects()).toHaveLength(3);
  });
});

const killSessions = () => db.superuser.$client`
  select pg_terminate_backend(pid) from pg_stat_activity where usename = 'aops_worker' and datname = current_database() and state <> 'idle'`;
