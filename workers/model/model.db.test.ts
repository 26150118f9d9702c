// Random sequences of everything that can happen, on the real database, against a model in memory; a failing sequence is shrunk and printed with its seed.
// A sample runs with the other tests; `npm run test:models` runs many. MODEL_SEED and MODEL_PATH repeat one.
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { checkInvariants } from "@/server/domain/operations/check-invariants";
import { clearTestPoints } from "@/server/test-points";
import { Model } from "./testing/model";
import { steps } from "./testing/steps";
import { World } from "./testing/world";

const numRuns = Number(process.env.MODEL_RUNS ?? 6);
const seed = Number(process.env.MODEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
const path = process.env.MODEL_PATH;
let world: World;

beforeAll(async () => {
  world = await World.open();
});
afterEach(clearTestPoints);
afterAll(() => world.db.close());

/** The records of this run's visits as the model has them. */
async function assertSameAsModel(model: Model): Promise<void> {
  const sql = world.db.superuser.$client;
  const rows = await sql`
    select a.id, a.status, a.version::int as version,
           (select array_agg(i.kind order by i.appointment_version) from notification_intents i where i.appointment_id = a.id) as told,
           (select count(*)::int from outbox o where o.aggregate_id = a.id and o.state = 'PUBLISHED') as published,
           (select count(*)::int from inbox i where i.aggregate_id = a.id and i.state = 'PROCESSED') as processed,
           (select count(*)::int from notification_intents i where i.appointment_id = a.id and i.state in ('SENT', 'SUPPRESSED', 'UNKNOWN')) as settled
    from appointments a
    where a.id = any (${model.visits.map(({ id }) => id)}::uuid[])
    order by a.id`;
  const expected = model.visits.map(({ id, status, version, told }) => ({
    id,
    status,
    version,
    told,
    published: version,
    processed: 2 * version, // both consumers, each event once
    settled: told.length,
  }));
  expect(rows.map((row) => ({ ...row }))).toEqual(expected.sort((a, b) => (a.id < b.id ? -1 : 1)));
  const mailbox = await sql`
    select i.id, i.state, (m.intent_id is not null) as arrived
    from notification_intents i
    left join mailbox_messages m on m.intent_id = i.id`;
  const lies = mailbox.filter(({ state, arrived }) => state !== "UNKNOWN" && arrived !== (state === "SENT"));
  expect(lies).toEqual([]); // what counts as sent arrived, what counts as not sent did not
}

describe(`${numRuns} sequences from seed ${seed}`, () => {
  it(
    "P-once: whatever is sent again, delivered again, raced or killed, each command has one answer, one change, one event, one effect, one message",
    async () => {
      const property = fc.asyncProperty(fc.commands(steps, { maxCommands: 40, size: "max" }), async (commands) => {
        world.day += 1;
        clearTestPoints();
        const model = new Model();
        await fc.asyncModelRun(() => ({ model, real: world }), commands);
        await world.drain();
        await assertSameAsModel(model);
        expect(await checkInvariants(world.db.superuser)).toEqual([]);
      });
      await fc.assert(property, {
        numRuns,
        seed,
        ...(path && { path }),
        endOnFailure: false,
        interruptAfterTimeLimit: 45_000 + numRuns * 8_000,
      });
      console.log(`${numRuns} sequences from seed ${seed}`);
    },
    120_000 + numRuns * 10_000,
  );
});
