import { Kafka, logLevel, Partitioners } from "kafkajs";
import { claimAny, createFloorLog, insertBare, markAll, toBareRecord } from "@/bench/floors/relay";
import { type Context, type Suite, scaled } from "@/bench/lib/context";
import type { BenchDatabase } from "@/bench/lib/database";
import { fillOutbox } from "@/bench/lib/fill";
import { compared, notMeasured, type Row } from "@/bench/lib/report";
import { runAlternately } from "@/bench/lib/rounds";
import { createWorld, type World } from "@/bench/lib/world";
import { systemClock } from "@/server/clock";
import { relayOnce } from "@/server/domain/outbox/relay-once";
import { openKafkaLog, prepareKafkaLog } from "@/server/event-log/kafka";
import { openPostgresLog, preparePostgresLog } from "@/server/event-log/postgres";

const suite = "relay";
const kafkaRow = "relay to Kafka, 100 at a time";

/** A drain of pending rows, 100 at a time, one relay: ours against claim, publish and mark by hand. */
export const relay: Suite = async (context) => {
  const database = await context.freshDatabase();
  const world = await createWorld(database.migrator, { clinics: 1, name: suite });
  const toPostgresRow = await toPostgres(context, database, world);
  const toKafkaRow = await toKafka(context, database, world).catch((error: Error) => notMeasured(suite, kafkaRow, error.message));
  return [toPostgresRow, toKafkaRow];
};

async function toPostgres(context: Context, database: BenchDatabase, world: World): Promise<Row> {
  await createFloorLog(database.bare);
  await preparePostgresLog(database.worker);
  const log = openPostgresLog(database.worker);
  const amount = scaled(context, 6_000, 1_000);
  const prepare = () => refill(database, world, amount);
  const measured = await runAlternately(
    [
      { name: "ours", prepare, run: () => drain(amount, async () => (await relayOnce(database.worker, log, options)).published) },
      {
        name: "claim, bare insert, mark",
        prepare,
        run: () =>
          drain(amount, async () => {
            const claimed = await claimAny(database.bare);
            await markAll(database.bare, claimed, await insertBare(database.bare, claimed.map(toBareRecord)));
            return claimed.length;
          }),
      },
    ],
    context.rounds,
  );
  return compared(measured, {
    suite,
    what: "relay to the PostgreSQL log, 100 at a time",
    unit: "rows/s",
    ours: "ours",
    baseline: "claim, bare insert, mark",
    bar: { atLeast: 0.4 },
    note: "the floor keeps no order per key, has offsets with gaps, checks no contract and takes nothing over",
  });
}

async function toKafka(context: Context, database: BenchDatabase, world: World): Promise<Row> {
  const what = kafkaRow;
  const broker = await context.broker();
  if (typeof broker === "string") return notMeasured(suite, what, broker);
  const kafka = new Kafka({ clientId: "bench-floor", brokers: [broker.brokers], logLevel: logLevel.NOTHING });
  await prepareKafkaLog([broker.brokers], 1);
  const log = openKafkaLog([broker.brokers]);
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  const amount = scaled(context, 6_000, 1_000);
  const prepare = () => refill(database, world, amount);
  try {
    const measured = await runAlternately(
      [
        { name: "ours", prepare, run: () => drain(amount, async () => (await relayOnce(database.worker, log, options)).published) },
        {
          name: "claim, kafkajs send, mark",
          prepare,
          run: () =>
            drain(amount, async () => {
              const claimed = await claimAny(database.bare);
              const messages = claimed.map(toBareRecord);
              await producer.send({ topic: "appointment.v1", acks: -1, messages });
              await markAll(
                database.bare,
                claimed,
                claimed.map((_, i) => String(i)),
              );
              return claimed.length;
            }),
        },
      ],
      context.rounds,
    );
    return compared(measured, {
      suite,
      what,
      unit: "rows/s",
      ours: "ours",
      baseline: "claim, kafkajs send, mark",
      bar: { atLeast: 0.5 },
      note: "the floor keeps no order per key, its producer is not idempotent, and it writes no position down",
    });
  } finally {
    await producer.disconnect();
    await log.close();
  }
}

const options = { worker: "bench", clock: systemClock, random: Math.random };

async function refill({ bare }: BenchDatabase, world: World, amount: number): Promise<void> {
  await bare`truncate outbox`;
  await bare`truncate log_records, floor_log`;
  await fillOutbox(bare, world, amount);
}

/** Rows per second until nothing is left; fewer than were filled would be another thing that was measured. */
async function drain(amount: number, once: () => Promise<number>): Promise<number> {
  const began = performance.now();
  let done = 0;
  for (let found = await once(); found > 0; found = await once()) done += found;
  if (done !== amount) throw new Error(`${done} of ${amount} rows were relayed`);
  return amount / ((performance.now() - began) / 1000);
}
