import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withRead, withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { toInstant } from "@/server/clock";
import { readActionRow, toActionRow } from "@/server/domain/deliveries/action-row";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import { nextActions } from "@/server/domain/inbox/next-actions";
import { passOver } from "@/server/domain/inbox/pass-over";
import { processBatch } from "@/server/domain/inbox/process-batch";
import { retryOnce } from "@/server/domain/inbox/retry-once";
import { type InboxState, inboxStates } from "@/server/domain/inbox/states";
import { effectConsumer, makeEffectsTable, sampleRecord, testControl } from "@/server/domain/inbox/testing";
import { done, quarantine } from "@/server/domain/inbox/types";
import type { SignedInPerson } from "@/server/domain/scope/load-actor";
import { newUuid } from "@/server/ids";
import { ReplayWorld, type StoppedRow } from "./testing";

let db: TestDatabase;
let world: ReplayWorld;
let operator: SignedInPerson;
beforeAll(async () => {
  db = await createTestDatabase();
  await makeEffectsTable(db.superuser);
  world = await ReplayWorld.open(db, new MemoryLog(`memory-${newUuid()}`));
  operator = await world.person();
});
afterAll(() => db.close());

/** Stopped events of one appointment, in order. */
async function line(count: number): Promise<StoppedRow[]> {
  const rows = await world.stopped(count);
  for (const [index, row] of rows.entries())
    await db.superuser
      .$client`update inbox set aggregate_id = ${rows[0]?.aggregateId as string}, aggregate_seq = ${index + 1} where id = ${row.id}`;
  return rows;
}

const stateCheck = async (row: StoppedRow) => {
  const { version } = await world.row(row.id);
  const { checks } = await world.preview(operator, world.select({ ...row, version }));
  return checks.find(({ name }) => name === "STATE");
};
const reviewOf = async (row: StoppedRow) => {
  const stored = await withRead(db.web, operator, (tx) => readActionRow(tx, "inbox", row.id));
  if (!stored) throw new Error("no row");
  return nextActions(toActionRow("inbox", stored), operator, toInstant(stored.now)).reviewReplay;
};

const situations = ["alone", "behind an unfinished one", "behind one that was passed over", "behind a finished one"] as const;
/** Each state as the table allows it: with its time reached or not, under a lease that holds or not. */
const shapes: [InboxState, string][] = inboxStates.flatMap((state): [InboxState, string][] =>
  state === "RETRYABLE"
    ? [
        [state, "due"],
        [state, "later"],
      ]
    : state === "PROCESSING"
      ? [
          [state, "held"],
          [state, "over"],
        ]
      : [[state, "as it is"]],
);

async function settle(row: StoppedRow, state: InboxState, shape: string) {
  const minutes = shape === "due" || shape === "over" ? -5 : 5;
  await db.superuser.$client`
    update inbox
    set state = ${state}, version = version + 1,
        reason_code = case when ${state} in ('RETRYABLE', 'QUARANTINED') then 'HANDLER_FAILED' end,
        quarantined_at = case when ${state} = 'QUARANTINED' then clock_timestamp() end,
        next_attempt_at = case when ${state} = 'RETRYABLE' then clock_timestamp() + ${minutes} * interval '1 minute' end,
        lease_owner = case when ${state} = 'PROCESSING' then 'worker-1' end,
        lease_until = case when ${state} = 'PROCESSING' then clock_timestamp() + ${minutes} * interval '1 minute' end,
        processed_at = case when ${state} = 'PROCESSED' then clock_timestamp() end,
        effect = case when ${state} = 'PROCESSED' then 'APPLIED' end
    where id = ${row.id}`;
}

describe("readiness for a replay", () => {
  const table = shapes.flatMap(([state, shape]) => situations.map((situation) => [state, shape, situation] as const));

  it.each(table)("of a %s row (%s), %s: the button and the check of the state say the same", async (state, shape, situation) => {
    const [first, row] = (await line(2)) as [StoppedRow, StoppedRow];
    if (situation === "alone") await db.superuser.$client`update inbox set aggregate_id = ${newUuid()} where id = ${row.id}`;
    if (situation === "behind a finished one") await settle(first, "PROCESSED", "");
    if (situation === "behind one that was passed over") await withTx(db.web, operator, (tx) => passOver(tx, first));
    await settle(row, state, shape);
    const [check, review] = [await stateCheck(row), await reviewOf(row)];
    const isReady = (state === "QUARANTINED" || shape === "due") && situation !== "behind an unfinished one";
    expect([check?.result, review.allowed]).toEqual([isReady ? "PASS" : "FAIL", isReady]);
    if (state === "QUARANTINED" && !isReady) {
      expect(check?.why).toBe("BEHIND_ANOTHER");
      expect(review).toMatchObject({ why: "BLOCKED", blockedBy: first.id });
    }
  });

  it("of rows in one manifest, in their order, needs nothing released", async () => {
    const rows = await line(3);
    await db.superuser.$client`update inbox set reason_code = 'IN_LINE' where id = any (${rows.map(({ id }) => id)}::uuid[])`;
    const { checks } = await world.preview(operator, world.group("IN_LINE"));
    expect(checks.find(({ name }) => name === "STATE")).toMatchObject({ result: "PASS", why: null });
  });
});

it("a later event that stops after STAFF released its sequence is replayed", async () => {
  const aggregateId = newUuid();
  const records = [1, 2].map((seq) => sampleRecord(world.scope, aggregateId, seq));
  const [position] = await world.log.publish("appointment.v1", records);
  const partition = position?.partition as number;
  const found = await world.log.readAt(
    "appointment.v1",
    partition,
    ["0", "1"].map((n) => String(BigInt(position?.offset as string) + BigInt(n))),
    {
      deadlineMs: 10_000,
    },
  );
  const stops = effectConsumer(() => quarantine("INVALID_PAYLOAD"));
  const read = [...found.values()].filter((record) => record !== "EXPIRED");
  await processBatch(world.runtime({ worker: "consumer-a" }), stops, read, testControl());
  const rowOf = async (seq: number) =>
    (
      await db.superuser.$client`
      select id, event_id as "eventId", version, state, partition, first_offset as "offset", aggregate_id as "aggregateId"
      from inbox where aggregate_id = ${aggregateId} and aggregate_seq = ${seq}`
    )[0] as unknown as StoppedRow;
  await withTx(db.web, operator, async (tx) => passOver(tx, await rowOf(1)));
  await retryOnce(world.runtime({ worker: "scheduler" }), world.log, [stops], testControl());
  expect(await rowOf(2)).toMatchObject({ state: "QUARANTINED" });
  const request = await world.approved(operator, world.select(await rowOf(2)));
  expect(await world.run(effectConsumer(() => done))).toMatchObject({ state: "COMPLETED", ran: 1 });
  expect(await world.request(request.requestId)).toMatchObject({ processed: 1, skipped: 0 });
  expect(await world.effects((await rowOf(2)).eventId)).toBe(1);
});
