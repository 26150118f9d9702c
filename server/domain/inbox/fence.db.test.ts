// A worker that was paused wakes up while its successor is at work: the row is PROCESSING again, so only the fence tells the two apart.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withTx } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import type { LogRecord } from "@/server/domain/event-log/port";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { markProcessed } from "./mark-processed";
import { processBatch } from "./process-batch";
import { giveBackRows } from "./settle-failed-row";
import { effectConsumer, insertTestScope, makeEffectsTable, sampleRecord, type TestScope, testControl, testRuntime } from "./testing";
import { type ClaimedRow, done } from "./types";

const topic = "appointment.v1";
let db: TestDatabase;
let scope: TestScope;

beforeAll(async () => {
  db = await createTestDatabase();
  await makeEffectsTable(db.superuser);
  scope = await insertTestScope(db.superuser);
});
afterAll(() => db.close());
beforeEach(() => db.superuser.$client`truncate inbox, inbox_deliveries, inbox_sequences, test_effects`);
afterEach(clearTestPoints);

const fail = () => {
  throw new Error("handler failed");
};
const row = async () => (await db.superuser.$client`select state, attempts, fence, lease_owner, reason_code from inbox`)[0];
const successor = { state: "PROCESSING", attempts: 2, fence: "2", lease_owner: "worker-b" };
const effects = async () => (await db.superuser.$client`select 1 from test_effects`).length;

/** What the scheduler of another process does with a row whose lease ran out; it has not begun its effects. */
const takeOver = () => db.superuser.$client`
  update inbox set attempts = attempts + 1, fence = fence + 1, version = version + 1, lease_owner = 'worker-b',
    lease_until = clock_timestamp() + interval '30 s'`;

/** Delivers one event to a worker that is overtaken at a point. */
async function overtakenAt(point: string, consumer = effectConsumer()) {
  const log = new MemoryLog();
  const [position] = await log.publish(topic, [sampleRecord(scope, newUuid(), 1)]);
  const record = log.partition(topic, position?.partition as number)[0] as LogRecord;
  let claimed: ClaimedRow[] = [];
  setTestPoint(point, async (detail) => {
    clearTestPoints();
    claimed = [detail].flat() as ClaimedRow[];
    await takeOver();
  });
  const result = await processBatch(testRuntime(db.worker), consumer, [record], testControl());
  return { result, claimed };
}

describe("a worker that wakes up while its successor is at work", () => {
  it("before its effects: it does not begin them", async () => {
    let begun = 0;
    const consumer = effectConsumer(() => {
      begun += 1;
      return done;
    });
    expect((await overtakenAt("inbox.afterClaim", consumer)).result).toMatchObject({ processed: 0, fenced: 1 });
    expect(await row()).toMatchObject(successor);
    expect([begun, await effects()]).toEqual([0, 0]);
  });

  it("after its handler failed: it cannot end its successor's attempt", async () => {
    expect((await overtakenAt("inbox.beforeSettle", effectConsumer(fail))).result).toMatchObject({ retryable: 0, fenced: 1 });
    expect(await row()).toMatchObject(successor);
  });

  it("with an old claim in its hands: it can neither mark the row nor give it back", async () => {
    const consumer = effectConsumer(fail);
    const { claimed } = await overtakenAt("inbox.beforeSettle", consumer);
    const runtime = testRuntime(db.worker);
    const actor = { worker: runtime.worker, tenantGroupId: scope.tenantGroupId };
    const ends = claimed.map((one) => ({ row: one, outcome: done }));
    expect(ends).toHaveLength(1);
    await expect(withTx(db.worker, actor, (tx) => markProcessed(tx, runtime, consumer, ends, 1))).rejects.toThrow("0 of 1 rows");
    expect(await giveBackRows(runtime, claimed)).toBe(0);
    expect(await row()).toMatchObject(successor);
  });
});
