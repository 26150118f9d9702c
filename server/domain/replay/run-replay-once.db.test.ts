import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withRead } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { untilSomebodyWaits } from "@/db/testing/until-somebody-waits";
import { TxError } from "@/db/tx-error";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import { LogError } from "@/server/domain/event-log/port";
import { processBatch } from "@/server/domain/inbox/process-batch";
import { retryOnce } from "@/server/domain/inbox/retry-once";
import { effectConsumer, insertTestScope, makeEffectsTable, testControl } from "@/server/domain/inbox/testing";
import { type ConsumerEvent, done, noEffect, type Outcome, quarantine, retryLater } from "@/server/domain/inbox/types";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { controlReplay } from "./control-replay";
import { listReplayItems, readReplayJob, readReplayOfRow } from "./read-jobs";
import type { ReplayRequest } from "./read-request";
import { ReplayWorld, type StoppedRow, wideBounds } from "./testing";

let db: TestDatabase;
let log: MemoryLog;
let world: ReplayWorld;
let operator: SignedInPerson;
beforeAll(async () => {
  db = await createTestDatabase();
  await makeEffectsTable(db.superuser);
});
beforeEach(async () => {
  log = new MemoryLog(`memory-${newUuid()}`);
  world = await ReplayWorld.open(db, log);
  operator = await world.person();
});
afterEach(clearTestPoints);
afterAll(() => db.close());

const counts = async ({ requestId }: { requestId: string }) => {
  const { state, ended_reason, processed, duplicate, retryable, quarantined, skipped, not_reached, records } =
    await world.request(requestId);
  expect(processed + duplicate + retryable + quarantined + skipped + not_reached).toBe(records);
  return { state, reason: ended_reason, processed, duplicate, retryable, quarantined, skipped, notReached: not_reached };
};
const answerOf = (answers: Map<string, Outcome>) => effectConsumer((event: ConsumerEvent) => answers.get(event.eventId) ?? done);
const control = (act: "PAUSE" | "RESUME" | "CANCEL", { requestId }: { requestId: string }) =>
  controlReplay(world.deps, operator, { clinicId: world.scope.clinicId, requestId, act });
const die = (name: string, nth = 1) => {
  let met = 0;
  setTestPoint(name, () => {
    met += 1;
    if (met === nth) throw new Error("the process dies here");
  });
};

describe("the end of a job", () => {
  it("O-D is counted from its items: what stays RETRYABLE or QUARANTINED is next work, never a success", async () => {
    const rows = await world.stopped(5);
    const request = await world.approved(operator, world.group());
    const answers = new Map<string, Outcome>([
      [rows[1]?.eventId as string, retryLater("HANDLER_FAILED")],
      [rows[2]?.eventId as string, quarantine("INVALID_PAYLOAD")],
      [rows[3]?.eventId as string, noEffect("SEQUENCE_REGRESSION")],
    ]);
    await db.superuser.$client`update inbox set attempts = 0, attempts_max = 5 where id = any (${rows.map(({ id }) => id)}::uuid[])`;
    expect(await world.run(answerOf(answers))).toMatchObject({ state: "NEEDS_ACTION", ran: 5 });
    expect(await counts(request)).toMatchObject({ processed: 2, duplicate: 1, retryable: 1, quarantined: 1, skipped: 0, notReached: 0 });
    expect((await world.items(request.requestId)).map(({ outcome, reason_code }) => [outcome, reason_code])).toContainEqual([
      "QUARANTINED",
      "INVALID_PAYLOAD",
    ]);
    const left = await Promise.all(rows.map(({ id }) => world.row(id)));
    expect(left.filter(({ state }) => state === "RETRYABLE" || state === "QUARANTINED")).toHaveLength(2);
    const deliveries = await db.superuser.$client`
      select outcome, replay_request_id from inbox_deliveries where inbox_id = ${rows[2]?.id as string} order by at`;
    expect(deliveries.map((delivery) => [delivery.outcome, delivery.replay_request_id])).toEqual([
      ["QUARANTINED", null], // the first failure stays
      ["QUARANTINED", request.requestId],
    ]);
  });

  it("an event that the world has overtaken ends without effect, by the handler's own decision, and the receipt says so", async () => {
    await world.stopped(1);
    const request = await world.approved(operator, world.group());
    await world.run(effectConsumer(() => noEffect("SUPERSEDED" as never)));
    expect(await counts(request)).toMatchObject({ state: "COMPLETED", processed: 1 });
    expect(await world.items(request.requestId)).toMatchObject([{ outcome: "PROCESSED", reason_code: "SUPERSEDED" }]);
  });

  it("a last attempt that fails in a replay stops again; the attempt it was given is counted", async () => {
    const [row] = await world.stopped(1);
    await db.superuser.$client`update inbox set attempts = 5, attempts_max = 5 where id = ${row?.id as string}`;
    await world.approved(operator, world.group());
    await world.run(effectConsumer(() => retryLater("HANDLER_FAILED")));
    expect(await world.row(row?.id as string)).toMatchObject({
      state: "QUARANTINED",
      reason_code: "ATTEMPTS_EXHAUSTED",
      attempts: 6,
      attempts_max: 6,
    });
  });
});

describe("a manifest", () => {
  it("O-1 is the limit: rows that arrive or change after the preview are left out, skipped and counted", async () => {
    const rows = await world.stopped(4);
    const request = await world.approved(operator, world.group());
    const [late] = await world.stopped(1);
    const [changed, settled] = [rows[1] as StoppedRow, rows[2] as StoppedRow];
    await db.superuser.$client`update inbox set version = version + 1 where id = ${changed.id}`;
    await db.superuser.$client`
      update inbox set state = 'PROCESSED', processed_at = clock_timestamp(), effect = 'APPLIED', reason_code = null, quarantined_at = null, version = version + 1
      where id = ${settled.id}`;
    expect(await world.run()).toMatchObject({ state: "INCOMPLETE" });
    expect(await counts(request)).toMatchObject({ processed: 2, duplicate: 1, skipped: 1 });
    expect(await world.row(late?.id as string)).toMatchObject({ state: "QUARANTINED", version: late?.version });
    expect(await world.row(changed.id)).toMatchObject({ state: "QUARANTINED" });
    expect(await world.effects(settled.eventId)).toBe(0);
  });

  it("of a range touches no other clinic's and no other tenant's row of the same partitions", async () => {
    const neighbour = await world.beside(await insertTestScope(db.superuser));
    const sister = await world.beside({ tenantGroupId: world.scope.tenantGroupId, clinicId: newUuid() });
    await db.superuser.$client`
      insert into clinics (id, tenant_group_id, ref, name, zone) values (${sister.scope.clinicId}, ${sister.scope.tenantGroupId}, ${`CL-${newUuid().slice(-6)}`}, 'Sister', 'UTC')`;
    const others = [...(await neighbour.stopped(30)), ...(await sister.stopped(30))];
    const mine = await world.stopped(30);
    const snapshot = () => Promise.all(others.map(({ id }) => world.row(id)));
    const before = await snapshot();
    const partitions = [...new Set(mine.map(({ partition }) => partition))];
    const ranges = partitions.map((partition) => ({
      partition,
      first: "0",
      last: String(log.partition("appointment.v1", partition).length - 1),
    }));
    const request = await world.approved(operator, { kind: "range", consumer: "test-effects-v1", recordsMax: 1_000, ranges });
    expect(request.records).toBe(30);
    expect(BigInt(request.offsetsSpanned)).toBeGreaterThan(30n);
    expect(await world.run()).toMatchObject({ state: "COMPLETED", ran: 30 });
    expect(await snapshot()).toEqual(before);
    expect(
      await db.superuser.$client`select 1 from replay_items where inbox_id = any (${others.map(({ id }) => id)}::uuid[])`,
    ).toHaveLength(0);
  });

  it("that reaches beyond the log is not clamped: the job is not complete and lists the offsets", async () => {
    const [row] = await world.stopped(1);
    const { partition, offset } = row as StoppedRow;
    const end = log.partition("appointment.v1", partition).length;
    const ranges = [{ partition, first: offset, last: String(end + 4) }];
    const request = await world.approved(operator, { kind: "range", consumer: "test-effects-v1", recordsMax: 10, ranges });
    await world.run();
    expect(await counts(request)).toMatchObject({ state: "INCOMPLETE", processed: 1 });
    expect((await world.request(request.requestId)).missing).toEqual([{ partition, first: String(end), last: String(end + 4) }]);
  });

  it("with a record that the log does not hold any more uses no attempt on it and lists its offset", async () => {
    const rows = await world.stopped(3);
    const request = await world.approved(operator, world.group());
    const gone = rows[1] as StoppedRow;
    const read = log.readAt.bind(log);
    log.readAt = async (topic, partition, offsets) => {
      const found = await read(topic, partition, offsets);
      if (partition === gone.partition && found.has(gone.offset)) found.set(gone.offset, "EXPIRED");
      return found;
    };
    await world.run();
    expect(await counts(request)).toMatchObject({ state: "INCOMPLETE", processed: 2, skipped: 1 });
    expect((await world.request(request.requestId)).missing).toEqual([
      { partition: gone.partition, first: gone.offset, last: gone.offset },
    ]);
    expect(await world.row(gone.id)).toMatchObject({ state: "QUARANTINED", version: gone.version });
  });

  it("whose record is another one now stops that row as a mismatch", async () => {
    const [row] = await world.stopped(1);
    const stored = log.partition("appointment.v1", row?.partition as number)[Number(row?.offset)];
    const request = await world.approved(operator, world.group());
    if (stored) stored.value = '{"other":true}';
    await world.run();
    expect(await counts(request)).toMatchObject({ state: "NEEDS_ACTION", quarantined: 1 });
    expect(await world.row(row?.id as string)).toMatchObject({ reason_code: "MISMATCH" });
  });

  it("that was tampered with, an approval out of time, and a log that was switched run nothing", async () => {
    const tampered = await world.approved(operator, world.select((await world.stopped(1))[0] as StoppedRow));
    await db.superuser.$client`update replay_items set row_version = row_version + 1 where request_id = ${tampered.requestId}`;
    expect(await world.run()).toMatchObject({ claimed: 1, ran: 0 });
    expect(await counts(tampered)).toMatchObject({ state: "INCOMPLETE", reason: "MANIFEST_CHANGED", notReached: 1 });
    const late = await world.approved(operator, world.select((await world.stopped(1))[0] as StoppedRow));
    await db.superuser.$client`update replay_requests set approval_expires_at = clock_timestamp() where request_id = ${late.requestId}`;
    await world.run();
    expect(await counts(late)).toMatchObject({ state: "EXPIRED", reason: "APPROVAL_EXPIRED", notReached: 1 });
    const switched = await world.approved(operator, world.select((await world.stopped(1))[0] as StoppedRow));
    await world.run(undefined, { runtime: { logId: "another" } });
    expect(await counts(switched)).toMatchObject({ state: "INCOMPLETE", reason: "LOG_CHANGED", notReached: 1 });
    expect(await world.acts(switched.requestId)).toContain("replay.refused REFUSED");
  });
});

describe("canary, share, time and rate", () => {
  it("O-7 a bad canary ends the job: nothing past it runs", async () => {
    const rows = await world.stopped(40);
    const request = await world.approved(operator, world.group(), { bounds: { ...wideBounds, canarySize: 5, stopSharePercent: 20 } });
    let handled = 0;
    const bad = effectConsumer(() => {
      handled += 1;
      return quarantine("INVALID_PAYLOAD");
    });
    expect(await world.run(bad)).toMatchObject({ state: "NEEDS_ACTION", ran: 5 });
    expect(handled).toBe(5);
    expect(await counts(request)).toMatchObject({ reason: "CANARY_FAILED", quarantined: 5, notReached: 35 });
    const untouched = await Promise.all(rows.map(({ id }) => world.row(id)));
    expect(untouched.filter(({ attempts }) => attempts === 1)).toHaveLength(35);
  });

  it("a good canary lets the rest run, until too much of it fails", async () => {
    const rows = await world.stopped(40);
    const request = await world.approved(operator, world.group(), { bounds: { ...wideBounds, canarySize: 5, stopSharePercent: 20 } });
    const order = new Map(rows.map(({ eventId }, index) => [eventId, index]));
    await world.run(effectConsumer((event) => ((order.get(event.eventId) ?? 0) < 10 ? done : quarantine("INVALID_PAYLOAD"))));
    expect(await counts(request)).toMatchObject({ reason: "STOP_SHARE", processed: 10, quarantined: 3, notReached: 27 });
  });

  it("a job whose time is used up reaches no further", async () => {
    await world.stopped(5);
    const request = await world.approved(operator, world.group(), { bounds: { ...wideBounds, maxSeconds: 2 } });
    let now = 0;
    await world.run(
      effectConsumer(() => {
        now += 1_000;
        return done;
      }),
      { runtime: { clock: { monotonicMs: () => now } } },
    );
    expect(await counts(request)).toMatchObject({ state: "INCOMPLETE", reason: "MAX_TIME", processed: 2, notReached: 3 });
  });

  it("keeps its rate", async () => {
    await world.stopped(6);
    await world.approved(operator, world.group(), { bounds: { ...wideBounds, ratePerSecond: 2 } });
    let now = 0;
    const waits: number[] = [];
    const sleep = async (ms: number) => {
      waits.push(ms);
      now += ms;
    };
    await world.run(undefined, { runtime: { clock: { monotonicMs: () => now } }, options: { sleep } });
    expect(waits).toEqual([500, 500, 500, 500, 500]);
  });
});

describe("people, while it runs", () => {
  const during = (at: number, act: () => Promise<unknown>) => {
    let met = 0;
    setTestPoint("replay.afterItem", async () => {
      met += 1;
      if (met === at) await act();
    });
  };

  it("a pause is obeyed before the next row, survives the process, and a resume goes on at the same place", async () => {
    const rows = await world.stopped(6);
    const request = await world.approved(operator, world.group());
    during(2, () => control("PAUSE", request));
    expect(await world.run()).toMatchObject({ state: "PAUSED", ran: 2 });
    expect(await world.run()).toMatchObject({ claimed: 0 });
    expect(await world.request(request.requestId)).toMatchObject({ state: "PAUSED", lease_owner: null });
    clearTestPoints();
    await control("RESUME", request);
    expect(await world.run(undefined, { runtime: { worker: "runner-b" } })).toMatchObject({ state: "COMPLETED", ran: 4 });
    for (const { eventId } of rows) expect(await world.effects(eventId)).toBe(1);
    expect((await world.acts(request.requestId)).filter((act) => act.startsWith("replay.started"))).toHaveLength(1);
  });

  it("a cancel leaves the rest untouched and counted", async () => {
    const rows = await world.stopped(6);
    const request = await world.approved(operator, world.group());
    during(2, () => control("CANCEL", request));
    expect(await world.run()).toMatchObject({ state: "CANCELLED" });
    expect(await counts(request)).toMatchObject({ reason: "CANCELLED", processed: 2, notReached: 4 });
    expect((await Promise.all(rows.map(({ id }) => world.row(id)))).filter(({ state }) => state === "QUARANTINED")).toHaveLength(4);
  });

  it("a paused job that had begun is cancelled by a runner, with its receipt", async () => {
    await world.stopped(3);
    const request = await world.approved(operator, world.group());
    during(1, () => control("PAUSE", request));
    await world.run();
    clearTestPoints();
    await control("CANCEL", request);
    expect(await world.run()).toMatchObject({ state: "CANCELLED", ran: 0 });
    expect(await counts(request)).toMatchObject({ processed: 1, notReached: 2 });
  });

  it("a role that is taken away stops it before the next row, whoever of the two approvers lost it", async () => {
    const rows = await world.stopped(4);
    const request = await world.approved(operator, world.group());
    during(1, () => world.takeRole(operator) as unknown as Promise<unknown>);
    await world.run();
    expect(await counts(request)).toMatchObject({ state: "INCOMPLETE", reason: "ROLE_REMOVED", processed: 1, notReached: 3 });
    expect(await world.effects(rows[1]?.eventId as string)).toBe(0);
  });
});

describe("a role that is taken away while a job is claimed", () => {
  it("waits until the claim has committed: nothing is claimed for somebody who may not any more", async () => {
    await world.stopped(2);
    const request = await world.approved(operator, world.group());
    let revoking: Promise<unknown> = Promise.resolve();
    let hasWaited = false;
    setTestPoint("replay.beforeClaim", async () => {
      clearTestPoints();
      revoking = world.takeRole(operator).then(() => {}); // sent now
      hasWaited = await untilSomebodyWaits(world.db.superuser, revoking);
    });
    await world.run();
    await revoking;
    expect(hasWaited).toBe(true);
    expect(await counts(request)).toMatchObject({ state: "INCOMPLETE", reason: "ROLE_REMOVED", notReached: 2 });
  });
});

describe("two at once", () => {
  it("two runners never work on one job, and two jobs never hold one row", async () => {
    const rows = await world.stopped(8);
    const request = await world.approved(operator, world.group());
    const ran = await Promise.all(["a", "b", "c"].map((worker) => world.run(undefined, { runtime: { worker: `runner-${worker}` } })));
    expect(ran.map(({ claimed }) => claimed).sort()).toEqual([0, 0, 1]);
    for (const { eventId } of rows) expect(await world.effects(eventId)).toBe(1);
    expect(await counts(request)).toMatchObject({ processed: 8 });
  });

  it("O-2 live redelivery and the retry scheduler beside a replay: each event has one success", async () => {
    const rows = await world.stopped(10);
    const request = await world.approved(operator, world.group());
    const consumer = effectConsumer(() => done);
    const records = log.all("appointment.v1");
    await Promise.all([
      world.run(consumer),
      processBatch(world.runtime({ worker: "consumer-b" }), consumer, records, testControl()),
      retryOnce(world.runtime({ worker: "scheduler" }), log, [consumer], testControl()),
    ]);
    for (const { eventId } of rows) expect(await world.effects(eventId)).toBe(1);
    expect(await counts(request)).toMatchObject({ processed: 10 });
    // and the receipt says so of each event
    const items = await withRead(db.web, operator, (tx) => listReplayItems(tx, request.requestId, 0, 100));
    expect(items.map(({ attempts, successes }) => [attempts, successes])).toEqual(Array(10).fill([1, 1]));
  });

  it("the receipt says how often the handler ran, how often that had its effect, and which delivery was first of a DUPLICATE", async () => {
    const rows = await world.stopped(3);
    const request = await world.approved(operator, world.group());
    const [, failing, twin] = rows as [StoppedRow, StoppedRow, StoppedRow];
    const sql = db.superuser.$client;
    await sql`
      update inbox set state = 'PROCESSED', processed_at = clock_timestamp(), effect = 'APPLIED', reason_code = null, quarantined_at = null, version = version + 1
      where id = ${twin.id}`; // another worker was there first
    const [first] = await sql`
      insert into inbox_deliveries (tenant_group_id, clinic_id, inbox_id, consumer, event_id, command_id, attempt, fence, outcome, log_id, partition, "offset", worker, started_at, duration_ms)
      select tenant_group_id, clinic_id, id, consumer, event_id, command_id, 2, 2, 'PROCESSED', log_id, partition, first_offset, 'consumer-b', clock_timestamp(), 3
      from inbox where id = ${twin.id}
      returning at`;
    await world.run(answerOf(new Map([[failing.eventId, quarantine("INVALID_PAYLOAD")]])));
    const scope = { tenantGroupId: world.scope.tenantGroupId, clinicIds: [world.scope.clinicId] };
    const job = await withRead(db.web, operator, (tx) => readReplayJob(tx, scope, request.requestId));
    expect(job).toMatchObject({ handlerRuns: 2, effects: 1, counts: { PROCESSED: 1, DUPLICATE: 1, QUARANTINED: 1 } });
    const items = await withRead(db.web, operator, (tx) => listReplayItems(tx, request.requestId, 0, 100));
    expect(items.map(({ outcome, earlierAttempt, earlierAt }) => [outcome, earlierAttempt, earlierAt])).toEqual([
      ["PROCESSED", null, null],
      ["QUARANTINED", null, null],
      ["DUPLICATE", 2, first?.at],
    ]);
    const ofRow = await withRead(db.web, operator, (tx) => readReplayOfRow(tx, scope, twin.id)); // and for the evidence of the row itself
    const earlier = { earlierAt: first?.at, earlierAttempt: 2, earlierPartition: twin.partition, earlierOffset: twin.offset };
    expect(items[2]).toMatchObject(earlier);
    expect(ofRow?.row).toEqual({ outcome: "DUPLICATE", reasonCode: null, ...earlier });
  });

  it("a late runner that wakes up after another took its job over changes nothing", async () => {
    const rows = await world.stopped(4);
    const request = await world.approved(operator, world.group());
    let woken: Promise<unknown> | undefined;
    let isFirst = true;
    setTestPoint("replay.afterItem", async () => {
      if (!isFirst) return;
      isFirst = false;
      await db.superuser
        .$client`update replay_requests set lease_until = lease_until - interval '1 hour' where request_id = ${request.requestId}`;
      woken = world.run(undefined, { runtime: { worker: "runner-b" } });
      await woken;
    });
    const late = await world.run();
    expect(late).toMatchObject({ state: "FENCED", ran: 1 });
    for (const { eventId } of rows) expect(await world.effects(eventId)).toBe(1);
    expect(await counts(request)).toMatchObject({ state: "COMPLETED", processed: 4 });
    expect(await world.acts(request.requestId)).toContain("replay.taken-over DONE");
  });
});

describe("a runner that dies", () => {
  it.each([
    ["replay.afterClaim", 1],
    ["retry.afterClaim", 3],
    ["inbox.afterHandler", 3],
    ["inbox.beforeCommit", 3],
    ["replay.afterItem", 3],
    ["replay.afterSettle", 2],
    ["replay.beforeReceipt", 1],
  ] as const)("at %s is followed by another one that loses and repeats nothing", async (point, nth) => {
    const rows = await world.stopped(5);
    await db.superuser.$client`update inbox set attempts = 0, attempts_max = 5 where id = any (${rows.map(({ id }) => id)}::uuid[])`;
    const request = await world.approved(operator, world.group());
    die(point, nth);
    // inside an attempt the runtime itself writes the failure down; elsewhere the call ends as a process would
    const end = await world.run().then(
      ({ state }) => state,
      () => "DIED",
    );
    clearTestPoints();
    for (let tries = 0; tries < 5 && (await world.request(request.requestId)).ended_at === null; tries++) {
      await world.expireLeases();
      await world.run(undefined, { runtime: { worker: `runner-${tries}` } });
    }
    const receipt = await counts(request);
    for (const { eventId } of rows) expect(await world.effects(eventId)).toBeLessThanOrEqual(1);
    const inTheHandler = ["inbox.afterHandler", "inbox.beforeCommit"].includes(point);
    expect([end === "DIED", receipt.processed + receipt.retryable]).toEqual([!inTheHandler, 5]);
    if (!inTheHandler) expect(receipt).toMatchObject({ state: "COMPLETED", processed: 5 });
  });

  it("in the middle of a row whose scheduler takes it over: the receipt says how that ended", async () => {
    const [row] = await world.stopped(1);
    await db.superuser.$client`update inbox set attempts_max = 5 where id = ${row?.id as string}`;
    const request = await world.approved(operator, world.group());
    die("retry.afterClaim");
    await expect(world.run()).rejects.toThrow("dies here");
    clearTestPoints();
    await world.expireLeases();
    await retryOnce(world.runtime({ worker: "scheduler" }), log, [effectConsumer(() => done)], testControl());
    await world.run(undefined, { runtime: { worker: "runner-b" } });
    expect(await counts(request)).toMatchObject({ state: "COMPLETED", processed: 1 });
    expect(await world.effects(row?.eventId as string)).toBe(1);
  });

  it("in the middle of a row, whose approver then lost the role: what was begun ends, once, and nothing else is begun", async () => {
    const rows = await world.stopped(3);
    await db.superuser.$client`update inbox set attempts_max = 5 where id = any (${rows.map(({ id }) => id)}::uuid[])`;
    const request = await world.approved(operator, world.group());
    die("retry.afterClaim");
    await expect(world.run()).rejects.toThrow("dies here");
    clearTestPoints();
    const [begun] = (await Promise.all(rows.map(({ id }) => world.row(id)))).filter(({ state }) => state === "PROCESSING");
    expect(begun).toMatchObject({ replay_request_id: request.requestId });
    await world.takeRole(operator);
    await world.expireLeases();
    await world.run(undefined, { runtime: { worker: "runner-b" } });
    expect(await counts(request)).toMatchObject({ state: "INCOMPLETE", reason: "ROLE_REMOVED", processed: 1, notReached: 2 });
    for (const { id, eventId } of rows) expect(await world.effects(eventId)).toBe(id === begun?.id ? 1 : 0);
    const left = (await Promise.all(rows.map(({ id }) => world.row(id)))).filter(({ id }) => id !== begun?.id);
    expect(left.map(({ state, version }) => [state, version])).toEqual(
      left.map(({ id }) => ["QUARANTINED", rows.find((row) => row.id === id)?.version]),
    );
  });

  it("that lives on when a crash of the database undoes its claim takes the row again: one effect, and nothing is left", async () => {
    const rows = await world.stopped(3);
    const request = await world.approved(operator, world.group());
    let isFirst = true;
    setTestPoint("retry.afterClaim", async () => {
      if (!isFirst) return;
      isFirst = false;
      const [first] = rows as [StoppedRow];
      await db.superuser.$client`
        update inbox
        set state = 'QUARANTINED', quarantined_at = clock_timestamp(), lease_owner = null, lease_until = null, attempts = attempts - 1, fence = fence - 1,
          version = ${first.version}, reason_code = 'UNSUPPORTED_SCHEMA', replay_request_id = null
        where id = ${first.id}`; // as its recovery leaves it
    });
    expect(await world.run()).toMatchObject({ state: "COMPLETED" });
    for (const { eventId } of rows) expect(await world.effects(eventId)).toBe(1);
    expect(await counts(request)).toMatchObject({ processed: 3 });
  });

  it.each([
    ["a first attempt", 1],
    ["the take-over of a dead runner's row", 2],
  ] as const)(
    "that is told to stop in the middle of %s leaves the row stopped for its reason and its task open: no retry runs it",
    async (_, runs) => {
      const [row] = (await world.stopped(1)) as [StoppedRow];
      await db.superuser.$client`update inbox set attempts_max = 5 where id = ${row.id}`;
      const request = await world.approved(operator, world.group());
      if (runs === 2) {
        die("retry.afterClaim");
        await expect(world.run()).rejects.toThrow("dies here");
        clearTestPoints();
        await world.expireLeases();
      }
      const stopping = new AbortController();
      const cutOff = effectConsumer(() => {
        stopping.abort();
        throw new TxError("CONNECTION_LOST", "the database went away");
      });
      const before = await world.row(row.id);
      expect(await world.run(cutOff, { runtime: { worker: "runner-b" }, signal: stopping.signal })).toMatchObject({
        state: "QUEUED",
        ran: 0,
      });
      expect(await world.row(row.id)).toMatchObject({
        state: "QUARANTINED",
        reason_code: "UNSUPPORTED_SCHEMA",
        attempts: before.attempts,
        attempts_max: 5,
        next_attempt_at: null,
        replay_request_id: null,
        ...(runs === 1 ? { quarantined_at: before.quarantined_at } : {}),
      });
      const [task] = await db.superuser.$client`select status, reason_code from delivery_tasks where row_id = ${row.id}`;
      expect(task).toEqual({ status: "OPEN", reason_code: "UNSUPPORTED_SCHEMA" });
      await retryOnce(world.runtime({ worker: "scheduler" }), log, [effectConsumer(() => done)], testControl());
      expect(await world.effects(row.eventId)).toBe(0);
      // its item was not run: the next runner takes it up under the same approval
      expect(await world.run()).toMatchObject({ state: "COMPLETED", ran: 1 });
      expect(await counts(request)).toMatchObject({ processed: 1 });
      expect(await world.effects(row.eventId)).toBe(1);
    },
  );

  it("that is told to stop puts the job down at once, with nothing held", async () => {
    await world.stopped(5);
    const request = await world.approved(operator, world.group());
    const stopping = new AbortController();
    setTestPoint("replay.afterItem", () => stopping.abort());
    expect(await world.run(undefined, { signal: stopping.signal })).toMatchObject({ state: "QUEUED", ran: 1 });
    clearTestPoints();
    expect(await world.request(request.requestId)).toMatchObject({ state: "QUEUED", lease_owner: null });
    expect(await world.run()).toMatchObject({ state: "COMPLETED", ran: 4 });
  });
});

describe("the log", () => {
  it("that is away uses no attempt and ends no job: it goes on when the log is back", async () => {
    const rows = await world.stopped(3);
    const request = await world.approved(operator, world.group());
    log.beforeReadAt = () => {
      throw new LogError("UNAVAILABLE", "away");
    };
    expect(await world.run()).toMatchObject({ state: "QUEUED", ran: 0, outage: "UNAVAILABLE" });
    expect(await world.row(rows[0]?.id as string)).toMatchObject({ attempts: 1, state: "QUARANTINED" });
    log.beforeReadAt = () => {};
    expect(await world.run()).toMatchObject({ state: "COMPLETED", ran: 3 });
    expect(await counts(request)).toMatchObject({ processed: 3 });
  });

  it("O-H an ordered consumer takes the events of one appointment in their order, and skips what must wait for a row outside", async () => {
    const [first] = await world.stopped(1, "HANDLER_FAILED");
    const aggregate = first?.aggregateId as string;
    const sql = db.superuser.$client;
    const [second, third] = await world.stopped(2, "UNSUPPORTED_SCHEMA");
    await world.stopped(1); // of another appointment: else nothing could be approved
    for (const [index, row] of [second, third].entries())
      await sql`update inbox set aggregate_id = ${aggregate}, aggregate_seq = ${index + 2} where id = ${row?.id as string}`;
    const request = await world.approved(operator, world.group("UNSUPPORTED_SCHEMA"));
    await world.run();
    expect(await counts(request)).toMatchObject({ state: "INCOMPLETE", processed: 1, skipped: 2 });
    const reasons = (await world.items(request.requestId)).map(({ reason_code }) => reason_code);
    expect(reasons.filter((reason) => reason !== null)).toEqual(["BLOCKED_BY", "BLOCKED_BY"]);
    expect(await world.row(second?.id as string)).toMatchObject({ state: "QUARANTINED", version: second?.version });
  });
});

describe("an approval that no runner takes", () => {
  it("ends after its time although its consumer is registered nowhere, and its rows are free again", async () => {
    const [row] = (await world.stopped(1, "UNSUPPORTED_SCHEMA", "retired-v1")) as [StoppedRow];
    const request = await world.approved(operator, world.select(row, "retired-v1"));
    expect(await world.run()).toMatchObject({ claimed: 0, expired: 0 }); // nobody runs that consumer
    await db.superuser.$client`update replay_requests set approval_expires_at = clock_timestamp() where request_id = ${request.requestId}`;
    expect(await world.run()).toMatchObject({ claimed: 0, expired: 1 });
    expect(await counts(request)).toMatchObject({ state: "EXPIRED", reason: "APPROVAL_EXPIRED", notReached: 1 });
    expect(await world.acts(request.requestId)).toContain("replay.ended DONE");
    expect((await world.items(request.requestId))[0]).toMatchObject({ is_open: false });
  });
});

describe("the operating group", () => {
  it("O-6 stands where it stood: its offsets are equal before and after while its consumer is stopped, through run, cancel and crash", async () => {
    const consumer = effectConsumer(() => quarantine("INVALID_PAYLOAD"));
    const consumption = await log.consume(consumer.id, ["appointment.v1"], (batch, batchControl) =>
      processBatch(world.runtime({ worker: "consumer-a" }), consumer, batch, batchControl).then(() => {}),
    );
    await world.stopped(12);
    while ((await log.groupOffsets(consumer.id, "appointment.v1")).reduce((sum, { offset }) => sum + Number(offset), 0) < 12)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await consumption.stop();
    const before = await log.groupOffsets(consumer.id, "appointment.v1");
    const request = (await world.approved(operator, world.group())) as ReplayRequest;
    die("replay.afterItem", 3);
    await world.run().catch(() => {});
    clearTestPoints();
    await world.expireLeases();
    await world.run(undefined, { runtime: { worker: "runner-b" } });
    expect(await log.groupOffsets(consumer.id, "appointment.v1")).toEqual(before);
    expect(await world.request(request.requestId)).toMatchObject({ offsets_before: before, offsets_after: before, state: "COMPLETED" });
  });
});
