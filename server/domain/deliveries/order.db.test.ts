import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { readEnvelope } from "@/server/domain/event-log/envelope";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import type { LogRecord, NewRecord } from "@/server/domain/event-log/port";
import type { CommandAnswer } from "@/server/domain/idempotency/types";
import { processBatch } from "@/server/domain/inbox/process-batch";
import { retryOnce } from "@/server/domain/inbox/retry-once";
import {
  effectConsumer,
  insertTestScope,
  makeEffectsTable,
  sampleRecord,
  type TestScope,
  testControl,
  testRuntime,
} from "@/server/domain/inbox/testing";
import { done, type LogicalConsumer, quarantine } from "@/server/domain/inbox/types";
import { appendEvent } from "@/server/domain/outbox/append-event";
import { relayOnce } from "@/server/domain/outbox/relay-once";
import type { PersonActor } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import { releaseSequence } from "./release-sequence";
import { retryPublish } from "./retry-publish";
import { skipPublish } from "./skip-publish";
import { callOn, insertPerson, testDeps } from "./testing";

const topic = "appointment.v1";
let db: TestDatabase;
let log: MemoryLog;
let scope: TestScope;
let operator: PersonActor;
let staff: PersonActor;

beforeAll(async () => {
  db = await createTestDatabase();
  await makeEffectsTable(db.superuser);
  scope = await insertTestScope(db.superuser);
  operator = await insertPerson(db.superuser, scope, "STAFF", "APPOINTMENT_REPLAY_OPERATOR");
  staff = await insertPerson(db.superuser, scope, "STAFF");
});
afterAll(() => db.close());
beforeEach(async () => {
  log = new MemoryLog();
  await db.superuser.$client`truncate inbox, inbox_deliveries, inbox_sequences, test_effects, outbox`;
});

const bodyOf = (answer: CommandAnswer) => JSON.parse(answer.body) as Record<string, unknown>;
const consume = (consumer: LogicalConsumer, records: LogRecord[]) => processBatch(testRuntime(db.worker), consumer, records, testControl());
const retry = (consumer: LogicalConsumer) => retryOnce(testRuntime(db.worker), log, [consumer], testControl());
const publish = async (...records: NewRecord[]): Promise<LogRecord[]> => {
  const positions = await log.publish(topic, records);
  return positions.map(({ partition, offset }) => log.partition(topic, partition)[Number(offset)] as LogRecord);
};
const states = async () =>
  (await db.superuser.$client`select id, aggregate_seq::int4 as seq, state, reason_code from inbox order by aggregate_seq`).map((row) => [
    row.seq,
    row.state,
    row.reason_code,
  ]);
const rowOf = async (seq: number) => `inbox.${(await db.superuser.$client`select id from inbox where aggregate_seq = ${seq}`)[0]?.id}`;
const effects = async () => (await db.superuser.$client`select seq::int4 as seq from test_effects order by n`).map((row) => row.seq);

describe("release of a blocked sequence", () => {
  const stopsAt = (bad: string) => effectConsumer((event) => (event.aggregateSeq === bad ? quarantine("NO_RULE") : done));

  it("lets what waits go on in order; the stopped row stays, blocks nobody any more, and a later run of it has no effect", async () => {
    const id = newUuid();
    await consume(stopsAt("1"), await publish(...[1, 2, 3].map((seq) => sampleRecord(scope, id, seq))));
    expect(await states()).toEqual([
      [1, "QUARANTINED", "NO_RULE"],
      [2, "RETRYABLE", "BLOCKED_BY"],
      [3, "RETRYABLE", "BLOCKED_BY"],
    ]);
    const blocker = await rowOf(1);
    const sent = await callOn(db.web, operator, scope, blocker);
    expect(bodyOf(await releaseSequence(testDeps(db.web), sent, "The rule is not wanted."))).toMatchObject({
      followers: 2,
      version: sent.row.version,
    });
    await retry(stopsAt("1"));
    await retry(stopsAt("1"));
    expect(await states()).toEqual([
      [1, "QUARANTINED", "NO_RULE"],
      [2, "PROCESSED", null],
      [3, "PROCESSED", null],
    ]);
    await consume(stopsAt("1"), await publish(sampleRecord(scope, id, 4))); // stored later: does not wait for the row that was passed over
    expect(await effects()).toEqual([2, 3, 4]);
    const again = await releaseSequence(testDeps(db.web), await callOn(db.web, operator, scope, blocker), "Once more.");
    expect(bodyOf(again)).toMatchObject({ why: "NOTHING_WAITS" });
    // what an approved replay does to the row: claimed again by the same way as a retry
    await db.superuser.$client`
      update inbox set state = 'RETRYABLE', quarantined_at = null, attempts = 0, next_attempt_at = now(), version = version + 1 where id = ${blocker.slice(6)}`;
    await retry(effectConsumer());
    expect((await states())[0]).toEqual([1, "PROCESSED", "SEQUENCE_REGRESSION"]);
    expect(await effects()).toEqual([2, 3, 4]);
  });

  it("takes the replay operator's right, and nothing else of STAFF", async () => {
    const id = newUuid();
    await consume(stopsAt("1"), await publish(...[1, 2].map((seq) => sampleRecord(scope, id, seq))));
    const sent = await callOn(db.web, staff, scope, await rowOf(1));
    await expect(releaseSequence(testDeps(db.web), sent, "Let it go.")).rejects.toMatchObject({
      code: "right-missing",
      extra: { right: "APPOINTMENT_REPLAY_OPERATOR" },
    });
    expect((await states())[1]).toEqual([2, "RETRYABLE", "BLOCKED_BY"]);
  });

  it("does not step over an earlier event that is still to come", async () => {
    const id = newUuid();
    await consume(stopsAt("2"), await publish(...[2, 3].map((seq) => sampleRecord(scope, id, seq)))); // 2 meets a gap: it waits for 1
    await db.superuser.$client`
      update inbox set state = 'QUARANTINED', reason_code = 'GAP', next_attempt_at = null, quarantined_at = now(), version = version + 1 where aggregate_seq = 2`;
    await consume(
      effectConsumer(() => {
        throw new Error("later");
      }),
      await publish(sampleRecord(scope, id, 1)),
    );
    const answer = await releaseSequence(testDeps(db.web), await callOn(db.web, operator, scope, await rowOf(2)), "Let it go.");
    expect(bodyOf(answer)).toMatchObject({ code: "action-not-allowed", why: "BLOCKED" });
  });
});

describe("a poison head of the outbox", () => {
  const consumer = effectConsumer();
  const relay = () => relayOnce(db.worker, log, { worker: "relay-a", clock: systemClock, random: () => 0, attemptsMax: 1 });
  const stateOf = async () =>
    (await db.superuser.$client`select aggregate_seq::int4 as seq, state from outbox order by aggregate_seq`).map(
      (row) => `${row.seq} ${row.state}`,
    );

  async function threeEventsWithAPoisonedSecond(): Promise<string> {
    const id = newUuid();
    const actor = { tenantGroupId: scope.tenantGroupId, clinicIds: [scope.clinicId] };
    await withTx(db.web, actor, async (tx) => {
      for (const seq of [1, 2, 3]) {
        const read = readEnvelope(sampleRecord(scope, id, seq) as LogRecord);
        if (!read.ok) throw new Error("the sample breaks its contract");
        await appendEvent(tx, {
          ...read.event,
          topic,
          aggregateSeq: seq,
          payload: read.event.payload,
        } as never);
      }
    });
    await db.superuser.$client`update outbox set payload = '{}' where aggregate_seq = 2`; // what a broken release may have written
    for (let run = 0; run < 4; run++) await relay();
    expect(await stateOf()).toEqual(["1 PUBLISHED", "2 FAILED", "3 PENDING"]);
    const [head] = await db.superuser.$client`select event_id from outbox where state = 'FAILED'`;
    return `outbox.${head?.event_id}`;
  }

  it("blocks its key until an operator skips it; then the rest is published, and an ordered consumer steps over the hole", async () => {
    const head = await threeEventsWithAPoisonedSecond();
    const answer = await skipPublish(
      testDeps(db.web),
      await callOn(db.web, operator, scope, head),
      "The payload was made by a broken release.",
    );
    expect(bodyOf(answer)).toMatchObject({ state: "SKIPPED", status: "CLOSED" });
    await relay();
    expect(await stateOf()).toEqual(["1 PUBLISHED", "2 SKIPPED", "3 PUBLISHED"]);
    for (const record of log.all(topic)) await consume(consumer, [record]);
    expect(await effects()).toEqual([1, 3]);
    const again = await skipPublish(testDeps(db.web), await callOn(db.web, operator, scope, head), "Once more.");
    expect(bodyOf(again)).toMatchObject({ why: "ALREADY_SETTLED" });
  });

  it("is tried once more when an operator says so, and stops again when it is still poison", async () => {
    const head = await threeEventsWithAPoisonedSecond();
    const sent = await callOn(db.web, operator, scope, head);
    expect(bodyOf(await retryPublish(testDeps(db.web), sent, "A release knows it now."))).toMatchObject({ state: "PENDING" });
    await relay();
    expect(await stateOf()).toEqual(["1 PUBLISHED", "2 FAILED", "3 PENDING"]);
    const old = await skipPublish(testDeps(db.web), { ...sent, key: newUuid() }, "Skip it.");
    expect(bodyOf(old)).toMatchObject({ code: "row-stale" });
    const [row] = await db.superuser.$client`select status from delivery_tasks where row_id = ${head.slice(7)}`;
    expect(row?.status).toBe("OPEN");
  });

  it("STAFF without the replay operator's right can do neither", async () => {
    const sent = await callOn(db.web, staff, scope, await threeEventsWithAPoisonedSecond());
    for (const act of [skipPublish, retryPublish])
      await expect(act(testDeps(db.web), { ...sent, key: newUuid() }, "Please.")).rejects.toMatchObject({ code: "right-missing" });
  });
});
