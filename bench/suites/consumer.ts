import { counterOf, createCounters, processBare } from "@/bench/floors/consumer";
import { graphileSide, peersPromiseNot, pgBossSide } from "@/bench/floors/peers";
import { commitSide, singleRowCommits } from "@/bench/lib/commit-rate";
import { type Suite, scaled } from "@/bench/lib/context";
import { openBare } from "@/bench/lib/database";
import { inboxRuntime } from "@/bench/lib/product";
import { inBatches, makeRecords } from "@/bench/lib/records";
import { alone, compared } from "@/bench/lib/report";
import { ratePerSecond, runAlternately, type Side } from "@/bench/lib/rounds";
import { createWorld } from "@/bench/lib/world";
import type { LogRecord } from "@/server/domain/event-log/port";
import { processBatch } from "@/server/domain/inbox/process-batch";
import { done, type LogicalConsumer } from "@/server/domain/inbox/types";

const suite = "consumer";

/** The runtime of a logical consumer with the smallest handler there is, beside the same bookkeeping by hand and two job queues. */
export const consumer: Suite = async (context) => {
  const database = await context.freshDatabase();
  const world = await createWorld(database.migrator, { clinics: 2, name: suite });
  await createCounters(database.bare);
  const runtime = inboxRuntime(database.worker, context.secrets, "bench-log");
  const [single, batched] = [scaled(context, 1_500, 200), scaled(context, 6_000, 1_000)];
  const control = { signal: new AbortController().signal, heartbeat: async () => {} };
  const ours = async (records: LogRecord[]) => {
    const counts = await processBatch(runtime, counting, records, control);
    if (counts.processed !== records.length)
      throw new Error(`processed ${counts.processed} of ${records.length}: ${JSON.stringify(counts)}`);
  };
  /** Fresh events for each run, made outside of it. */
  const side = (
    name: string,
    amount: number,
    batch: number,
    concurrency: number,
    process: (records: LogRecord[]) => Promise<void>,
  ): Side => {
    let batches: LogRecord[][] = [];
    return {
      name,
      prepare: async () => {
        batches = inBatches(makeRecords(world, amount, "bench-log"), batch);
      },
      run: async () => batch * (await ratePerSecond(batches.length, concurrency, (i) => process(batches[i] as LogRecord[]))),
    };
  };
  const bare = (records: LogRecord[]) => processBare(database.bare, records);
  const owner = openBare(database.urls.superuser); // the queues bring schemas of their own
  const [boss1, boss100] = [
    await pgBossSide(database.urls.superuser, owner, scaled(context, 600, 200), 1),
    await pgBossSide(database.urls.superuser, owner, scaled(context, 3_000, 1_000), 100),
  ];
  const graphile = await graphileSide(database.urls.superuser, owner, scaled(context, 3_000, 1_000));
  const measured = await runAlternately(
    [
      side("ours, one by one", single, 1, 10, ours),
      side("floor, one by one", single, 1, 10, bare),
      side("ours, batches", batched, 100, 1, ours),
      side("floor, batches", batched, 100, 1, bare),
      side("ours, ten batches at a time", batched, 100, 10, ours),
      boss1,
      boss100,
      graphile,
      await singleRowCommits(database.bare, single * 2),
    ],
    context.rounds,
    () => database.bare`analyze`,
  );
  await boss1.stop();
  await boss100.stop();
  await owner.end({ timeout: 1 });
  const ahead = {
    suite,
    what: "batches of 100, one batch at a time",
    unit: "events/s",
    ours: "ours, batches",
    bar: { atLeast: 1 },
    note: peersPromiseNot,
  };
  return [
    compared(measured, {
      suite,
      what: "one event a batch, 10 at a time",
      unit: "events/s",
      ours: "ours, one by one",
      baseline: "floor, one by one",
      bar: { atLeast: 0.25 },
      note: "the floor writes inbox row and effect in one transaction: no claim, lease, digest, order, delivery row",
    }),
    compared(measured, {
      suite,
      what: "batches of 100, one batch at a time",
      unit: "events/s",
      ours: "ours, batches",
      baseline: "floor, batches",
      bar: { atLeast: 0.35 },
    }),
    compared(measured, { ...ahead, baseline: boss100.name }),
    compared(measured, { ...ahead, baseline: graphile.name }),
    compared(measured, {
      suite,
      what: "batches of 100, ten at a time, as pg-boss has them",
      unit: "events/s",
      ours: "ours, ten batches at a time",
      baseline: boss100.name,
      note: "a consumer on Kafka runs three partitions at a time, on the PostgreSQL log one: ten are several processes",
    }),
    alone(measured, { suite, what: boss1.name, unit: "jobs/s", side: boss1.name }),
    alone(measured, { suite, what: commitSide, unit: "/s", side: commitSide }),
  ];
};

/** One upsert into one of 1,000 counters for each event, in one statement for the batch: what the floors do. */
export const counting: LogicalConsumer = {
  id: "bench-counter-v1",
  topics: ["appointment.v1"],
  order: "ordered",
  handle: async (tx, events) => {
    const counters = events.map((event) => counterOf(event.aggregateId));
    await tx.sql`
      insert into bench_counters as c (counter, n)
      select counter, count(*) from unnest(${counters}::int4[]) as r (counter) group by counter order by counter
      on conflict (counter) do update set n = c.n + excluded.n`;
    return events.map(() => done);
  },
};
