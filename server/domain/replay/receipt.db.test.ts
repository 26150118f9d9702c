import fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/db/testing/test-database";
import { MemoryLog } from "@/server/domain/event-log/memory-log";
import { retryOnce } from "@/server/domain/inbox/retry-once";
import { effectConsumer, makeEffectsTable, testControl } from "@/server/domain/inbox/testing";
import { done, noEffect, type Outcome, quarantine, retryLater } from "@/server/domain/inbox/types";
import { newUuid } from "@/server/ids";
import { clearTestPoints, setTestPoint } from "@/server/test-points";
import { controlReplay } from "./control-replay";
import { ReplayWorld, wideBounds } from "./testing";

/** REPLAY_RUNS=200 npx vitest run --project db server/domain/replay/receipt: more of them. */
const numRuns = Number(process.env.REPLAY_RUNS ?? 15);

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
  await makeEffectsTable(db.superuser);
});
afterEach(clearTestPoints);
afterAll(() => db.close());

const ends = ["done", "noEffect", "retryLater", "quarantine", "throw", "changed", "settled", "gone"] as const;
type End = (typeof ends)[number];
/** Where the process may die, be paused or cancelled. */
const points = ["replay.afterClaim", "retry.afterClaim", "replay.afterItem", "replay.afterSettle", "replay.beforeReceipt"] as const;
const harms = ["die", "pause", "cancel", "scheduler"] as const;

const scenario = fc.record({
  rows: fc.array(fc.constantFrom(...ends), { minLength: 1, maxLength: 12 }),
  attemptsLeft: fc.boolean(),
  canarySize: fc.integer({ min: 1, max: 5 }),
  stopSharePercent: fc.constantFrom(0, 20, 50, 100),
  harms: fc.array(fc.record({ point: fc.constantFrom(...points), nth: fc.integer({ min: 1, max: 8 }), harm: fc.constantFrom(...harms) }), {
    maxLength: 3,
  }),
});

const outcomeOf = (end: End | undefined): Outcome => {
  switch (end) {
    case "noEffect":
      return noEffect("SEQUENCE_REGRESSION");
    case "retryLater":
      return retryLater("HANDLER_FAILED");
    case "quarantine":
      return quarantine("INVALID_PAYLOAD");
    case "throw":
      throw new Error("nobody planned this");
    default:
      return done;
  }
};

it(
  "O-5 a receipt adds up whatever its rows do and wherever its runners die, are paused or cancelled, and no event has two effects",
  async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (plan) => {
        clearTestPoints();
        const log = new MemoryLog(`memory-${newUuid()}`);
        const world = await ReplayWorld.open(db, log);
        const operator = await world.person();
        const rows = await world.stopped(plan.rows.length);
        const sql = db.superuser.$client;
        await sql`update inbox set attempts_max = ${plan.attemptsLeft ? 9 : 1} where id = any (${rows.map(({ id }) => id)}::uuid[])`;
        const bounds = { ...wideBounds, canarySize: plan.canarySize, stopSharePercent: plan.stopSharePercent };
        const { requestId } = await world.approved(operator, world.group(), { bounds });
        const endOf = new Map(rows.map(({ eventId }, index) => [eventId, plan.rows[index]]));
        for (const [index, row] of rows.entries()) {
          if (plan.rows[index] === "changed") await sql`update inbox set version = version + 1 where id = ${row.id}`;
          if (plan.rows[index] === "settled")
            await sql`
            update inbox set state = 'PROCESSED', processed_at = clock_timestamp(), effect = 'APPLIED', reason_code = null, quarantined_at = null,
              version = version + 1
            where id = ${row.id}`;
        }
        const read = log.readAt.bind(log);
        const gone = rows.filter((_, index) => plan.rows[index] === "gone");
        log.readAt = async (topic, partition, offsets) => {
          const found = await read(topic, partition, offsets);
          for (const row of gone) if (row.partition === partition && found.has(row.offset)) found.set(row.offset, "EXPIRED");
          return found;
        };
        const consumer = effectConsumer((event) => outcomeOf(endOf.get(event.eventId)));
        const control = (act: "PAUSE" | "RESUME" | "CANCEL") =>
          controlReplay(world.deps, operator, { clinicId: world.scope.clinicId, requestId, act }).catch(() => {});
        for (const point of points) {
          let met = 0;
          setTestPoint(point, async () => {
            met += 1;
            const mine = plan.harms.find((one) => one.point === point && one.nth === met);
            if (mine?.harm === "die") throw new Error("the process dies here");
            // inside a transaction that holds the request a person would wait for its end, and so would this test
            if (mine && point !== "replay.afterSettle" && point !== "replay.beforeReceipt") {
              if (mine.harm === "pause") await control("PAUSE");
              if (mine.harm === "cancel") await control("CANCEL");
              if (mine.harm === "scheduler") await retryOnce(world.runtime({ worker: "scheduler" }), log, [consumer], testControl());
            }
          });
        }
        for (let run = 0; run < 12 && (await world.request(requestId)).ended_at === null; run++) {
          await world.run(consumer, { runtime: { worker: `runner-${run}` } }).catch(() => {});
          await world.expireLeases();
          await control("RESUME");
        }

        const request = await world.request(requestId);
        const items = await world.items(requestId);
        const counted = (outcome: string) => items.filter((item) => item.outcome === outcome).length;
        expect(request.ended_at).not.toBeNull();
        expect([
          request.processed,
          request.duplicate,
          request.retryable,
          request.quarantined,
          request.skipped,
          request.not_reached,
        ]).toEqual(["PROCESSED", "DUPLICATE", "RETRYABLE", "QUARANTINED", "SKIPPED", "NOT_REACHED"].map(counted));
        expect(items.every((item) => item.outcome !== null && !item.is_open)).toBe(true);
        expect(items).toHaveLength(request.records);
        expect(request.state === "COMPLETED").toBe(counted("PROCESSED") + counted("DUPLICATE") === request.records);
        for (const [index, row] of rows.entries()) {
          const effects = await world.effects(row.eventId);
          const { state } = await world.row(row.id);
          expect(effects).toBeLessThanOrEqual(1);
          if (items.find((item) => item.inbox_id === row.id)?.outcome === "PROCESSED") expect([effects, state]).toEqual([1, "PROCESSED"]);
          if (plan.rows[index] === "settled" || plan.rows[index] === "changed") expect(effects).toBe(0);
        }
      }),
      { numRuns, ...(process.env.REPLAY_SEED ? { seed: Number(process.env.REPLAY_SEED) } : {}) },
    );
  },
  60_000 + numRuns * 10_000,
);
