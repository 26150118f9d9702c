import { randomUUID } from "node:crypto";
import { commitSide, singleRowCommits } from "@/bench/lib/commit-rate";
import { type Context, type Suite, scaled } from "@/bench/lib/context";
import type { BenchDatabase } from "@/bench/lib/database";
import { fillAppointments } from "@/bench/lib/fill";
import { openLoop } from "@/bench/lib/load";
import { bodyOf, inboxRuntime } from "@/bench/lib/product";
import { compared, notMeasured, type Row } from "@/bench/lib/report";
import { median, percentile, runAlternately, type Side } from "@/bench/lib/rounds";
import { addToken, startWeb, startWorkers } from "@/bench/lib/servers";
import { createWorld, type World } from "@/bench/lib/world";
import { systemClock } from "@/server/clock";
import { processBatch } from "@/server/domain/inbox/process-batch";
import type { LogicalConsumer } from "@/server/domain/inbox/types";
import { relayOnce } from "@/server/domain/outbox/relay-once";
import { schemas } from "@/server/env";
import { openPostgresLog, preparePostgresLog } from "@/server/event-log/postgres";
import { consumersOf } from "@/workers/logical-consumers";

const suite = "way";
/** pg-transactional-outbox 0.5.7, replication: relay and inbox in key order, as recorded. Its polling variant: .006. */
const peerRel = 0.044;
const visitConsumers = consumersOf("appointment.v1");
const latencyRow = "booking to the effect of both consumers, p95";

/** From committed outbox rows to the effect, through the PostgreSQL log; then from a booking over HTTP to the effect of both consumers. */
export const way: Suite = async (context) => [
  ...(await drains(context)),
  ...(await latency(context).catch((error: Error) => [notMeasured(suite, latencyRow, error.message.split("\n")[0] ?? "")])),
];

async function drains(context: Context): Promise<Row[]> {
  const database = await context.freshDatabase();
  const world = await createWorld(database.migrator, { clinics: 4, name: suite });
  const amount = scaled(context, 4_000, 1_000);
  await fillAppointments(
    database.urls.superuser,
    world,
    Array.from({ length: amount }, (_, n) => world.booking(n)),
  );
  await preparePostgresLog(database.worker);
  const [first] = visitConsumers;
  if (!first) throw new Error("no logical consumer");
  const measured = await runAlternately(
    [
      drain(context, database, world, "one consumer", [first], amount),
      drain(context, database, world, "both consumers", visitConsumers, amount),
      await singleRowCommits(database.bare, amount),
    ],
    context.rounds,
  );
  const common = { suite, unit: "events/s", baseline: commitSide };
  return [
    compared(measured, {
      ...common,
      what: `drain of ${amount} committed outbox rows: relay, log, inbox, effect (${first.id})`,
      ours: "one consumer",
      bar: { atLeast: 5 * peerRel },
      note: "5 x the recorded rel of pg-transactional-outbox 0.5.7 (.044 by replication, .006 by polling); relay and consumer in one process",
    }),
    compared(measured, { ...common, what: "the same with both logical consumers: two effects an event", ours: "both consumers" }),
  ];
}

/** Relay and consumers run as their processes do, in one process; the clock runs from the committed rows to the last PROCESSED row. */
function drain(
  context: Context,
  database: BenchDatabase,
  world: World,
  name: string,
  consumers: readonly LogicalConsumer[],
  amount: number,
): Side {
  const { worker, bare } = database;
  const log = openPostgresLog(worker);
  return {
    name,
    prepare: () => refill(database, world),
    run: async () => {
      const runtime = inboxRuntime(worker, context.secrets, await log.logId());
      let left = amount * consumers.length;
      let finish = () => {};
      const all = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const stopping = new AbortController();
      const began = performance.now();
      const consumptions = await Promise.all(
        consumers.map((consumer) =>
          log.consume(consumer.id, [...consumer.topics], async (batch, control) => {
            const { processed, noEffect } = await processBatch(runtime, consumer, batch, control);
            left -= processed + noEffect;
            if (left <= 0) finish();
          }),
        ),
      );
      const relaying = relayUntil(stopping.signal, database);
      await Promise.race([all, ...consumptions.map((consumption) => consumption.ended)]);
      const took = performance.now() - began;
      stopping.abort();
      await relaying;
      await Promise.all(consumptions.map((consumption) => consumption.stop()));
      const [row] = await bare<{ n: number }[]>`select count(*)::int4 as n from inbox where state = 'PROCESSED'`;
      if (row?.n !== amount * consumers.length) throw new Error(`${row?.n} rows are PROCESSED`);
      return amount / (took / 1000);
    },
  };
}

async function relayUntil(signal: AbortSignal, { worker }: BenchDatabase): Promise<void> {
  const log = openPostgresLog(worker);
  while (!signal.aborted) {
    const { published } = await relayOnce(worker, log, { worker: "bench-relay", clock: systemClock, random: Math.random, signal });
    if (published === 0) await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** The events of the visits that are there, as their create commands would have left them; nothing of the round before. */
async function refill({ bare }: BenchDatabase, world: World): Promise<void> {
  await bare`truncate outbox, log_records, inbox, inbox_deliveries, inbox_sequences, daily_load, daily_load_visits, reminders`;
  await bare`
    insert into outbox (tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type, schema_version, payload)
    select a.tenant_group_id, a.clinic_id, a.command_id, 'appointment.v1',
           '36:' || a.tenant_group_id || '/36:' || a.clinic_id || '/36:' || a.id, 'appointment', a.id, 1, 'AppointmentCreated', 1,
           jsonb_build_object('appointmentId', a.id, 'appointmentRef', a.ref, 'version', '1', 'clinicId', a.clinic_id, 'change', 'CREATED',
             'fromStatus', null, 'toStatus', 'CONFIRMED', 'localDate', a.local_date, 'fromLocalDate', null,
             'startsAt', to_char(a.starts_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'endsAt', to_char(a.ends_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
             'fromStartsAt', null, 'doctorId', a.doctor_id, 'fromDoctorId', null, 'treatmentId', a.treatment_id, 'reasonCode', null)
    from appointments a
    where a.tenant_group_id = ${world.tenantGroupId}
    order by a.id`;
  await bare`analyze`;
}

/** Web app and workers as a deployment runs them; 10 bookings a second, each followed to the later of its two PROCESSED rows. */
async function latency(context: Context): Promise<Row[]> {
  const database = await context.freshDatabase();
  const world = await createWorld(database.migrator, { clinics: 4, name: "latency" });
  const token = await addToken(database, world);
  const web = await startWeb(database, context.secrets, context.log);
  const workers = startWorkers(database, context.secrets);
  const { RELAY_POLL_MS, CONSUMER_POLL_MS } = schemas.worker.parse({
    WORKER_DATABASE_URL: database.urls.worker,
    DIGEST_KEYS: context.secrets.digestKeys,
  });
  try {
    let made = 0;
    const rounds: { create: number; effect: number }[] = [];
    const seconds = scaled(context, 15, 5);
    for (let round = -1; round < context.rounds; round++) {
      const sentAt = new Map<string, number>();
      const next = () => {
        const booking = world.booking(made++);
        const key = randomUUID();
        sentAt.set(key, Date.now());
        return {
          method: "POST",
          path: `/api/v1/clinics/${booking.clinic.id}/appointments`,
          headers: { "content-type": "application/json", "idempotency-key": key, authorization: `Bearer ${token}` },
          body: JSON.stringify(bodyOf(booking)),
        };
      };
      const load = await openLoop(web.origin, 10, seconds, next, { status: 201 });
      const effects = await effectTimes(database, sentAt);
      if (round >= 0) rounds.push({ create: load.p95, effect: percentile(effects, 95) });
    }
    const allowed = rounds.map(({ create }) => create + 2 * (RELAY_POLL_MS + CONSUMER_POLL_MS));
    const ratio = median(rounds.map(({ effect }, i) => effect / (allowed[i] as number)));
    return [
      {
        suite,
        what: latencyRow,
        unit: "ms",
        ours: median(rounds.map(({ effect }) => effect)),
        baseline: `create p95 + 2 x (${RELAY_POLL_MS} + ${CONSUMER_POLL_MS})`,
        baselineFigure: median(allowed),
        ratio,
        bar: { atMost: 1 },
        note: `create p95 ${median(rounds.map(({ create }) => create)).toFixed(0)} ms at 10/s; the target is 500 ms`,
      },
    ];
  } finally {
    await Promise.all([workers.stop(), web.child.stop()]);
  }
}

/** Milliseconds from the sending of each command to the later of its two effects, by the clock of this machine. Waits until all are there. */
async function effectTimes({ bare }: BenchDatabase, sentAt: Map<string, number>): Promise<number[]> {
  const keys = [...sentAt.keys()];
  for (const end = Date.now() + 30_000; ; ) {
    const rows = await bare<{ key: string; at: number; n: number }[]>`
      select k.key, max(extract(epoch from i.processed_at) * 1000)::float8 as at, count(i.processed_at)::int4 as n
      from idempotency_keys k
      join outbox o on o.command_id = k.command_id
      join inbox i on i.event_id = o.event_id
      where k.key = any (${keys}::text[])
      group by k.key`;
    const done = rows.filter(({ n }) => n === visitConsumers.length);
    if (done.length === keys.length) return done.map(({ key, at }) => at - (sentAt.get(key) as number));
    if (Date.now() > end) throw new Error(`${keys.length - done.length} of ${keys.length} bookings had no effect after 30 s`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
