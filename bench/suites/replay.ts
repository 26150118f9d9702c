import { setTimeout as sleep } from "node:timers/promises";
import { createCounters } from "@/bench/floors/consumer";
import { type Suite, scaled } from "@/bench/lib/context";
import { inboxRuntime } from "@/bench/lib/product";
import { inBatches, makeRecords } from "@/bench/lib/records";
import { compared, type Row } from "@/bench/lib/report";
import { percentile, ratePerSecond, runAlternately, type Side } from "@/bench/lib/rounds";
import { type BenchClinic, createWorld } from "@/bench/lib/world";
import { counting } from "@/bench/suites/consumer";
import { parseDigestKeys } from "@/server/canonical-hash";
import type { LogRecord } from "@/server/domain/event-log/port";
import { processBatch } from "@/server/domain/inbox/process-batch";
import { type LogicalConsumer, quarantine } from "@/server/domain/inbox/types";
import { approveReplay } from "@/server/domain/replay/approve-replay";
import { previewReplay } from "@/server/domain/replay/preview-replay";
import { runReplayOnce } from "@/server/domain/replay/run-replay-once";
import { loadActor, type SignedInPerson } from "@/server/domain/scope/load-actor";
import { openPostgresLog, preparePostgresLog } from "@/server/event-log/postgres";
import { newUuid } from "@/server/ids";

const suite = "replay";
const control = { signal: new AbortController().signal, heartbeat: async () => {} };
/** Arrivals while a replay runs, in a second. */
const arrivals = 50;

/**
 * A replay of 10,000 stopped events as an approved job works them off, its rate bound lifted, beside the same consumer that takes new events one by one;
 * and how long new events wait meanwhile.
 */
export const replay: Suite = async (context) => {
  const database = await context.freshDatabase();
  const world = await createWorld(database.migrator, { clinics: 1, name: suite });
  await createCounters(database.bare);
  await preparePostgresLog(database.worker);
  const log = openPostgresLog(database.worker);
  const logId = await log.logId();
  const runtime = inboxRuntime(database.worker, context.secrets, logId);
  const [clinic] = world.clinics as [BenchClinic];
  // one person approves: who approves is not what is measured
  await database.bare`update clinics set replay_records_limit = 10000, replay_age_hours_limit = 1000`;
  const operator = await newOperator();
  const [items, live] = [scaled(context, 10_000, 500), scaled(context, 2_000, 200)];

  const published = async (count: number): Promise<LogRecord[]> => {
    const records = makeRecords(world, count, logId);
    for (const batch of inBatches(records, 100)) {
      const positions = await log.publish("appointment.v1", batch);
      for (const [i, record] of batch.entries()) Object.assign(record, { position: positions[i] });
    }
    return records;
  };
  /** Stops `count` new events under a reason of their own and approves their replay. */
  const approved = async (count: number): Promise<void> => {
    const reasonCode = `BENCH_${newUuid().slice(-12).toUpperCase()}`;
    const stopping: LogicalConsumer = { ...counting, handle: async (_tx, events) => events.map(() => quarantine(reasonCode)) };
    const batches = inBatches(await published(count), 100);
    await ratePerSecond(batches.length, 10, (i) => processBatch(runtime, stopping, batches[i] as LogRecord[], control));
    await database.bare`analyze inbox`;
    const deps = { db: database.web, eventLog: log, ring: parseDigestKeys(context.secrets.digestKeys) };
    const selection = { kind: "group" as const, consumer: counting.id, reasonCode, recordsMax: count };
    const { request } = await previewReplay(deps, operator, { clinicId: clinic.id, requestId: newUuid(), selection });
    if (request?.records !== count) throw new Error(`${request?.records} of ${count} were previewed`);
    const bounds = { canarySize: 50, ratePerSecond: 50, maxSeconds: 300, stopSharePercent: 0 };
    const { requestId, manifestDigest: digest } = request;
    await approveReplay(deps, operator, { clinicId: clinic.id, requestId, digest, bounds, reason: "a handler that takes all of it" });
  };
  const runJob = async (count: number): Promise<number> => {
    const began = performance.now();
    const { state, ran } = await runReplayOnce(runtime, log, [counting], control, { isRateLifted: true });
    if (state !== "COMPLETED" || ran !== count) throw new Error(`${state} after ${ran} of ${count}`);
    return count / ((performance.now() - began) / 1000);
  };

  let [job, oneByOne]: [number, LogRecord[]] = [0, []];
  const rates = await runAlternately(
    [
      {
        name: "replay",
        prepare: async () => {
          await approved(items);
          job = items;
        },
        run: () => runJob(job),
      },
      {
        name: "live",
        prepare: async () => {
          oneByOne = await published(live);
        },
        run: () => ratePerSecond(live, 1, (i) => processBatch(runtime, counting, [oneByOne[i] as LogRecord], control)),
      },
    ],
    Math.min(context.rounds, 3),
  );

  const lags = { median: new Map<string, number[]>(), p95: new Map<string, number[]>() };
  let arriving: LogRecord[] = [];
  const lagSide = (name: string, meanwhile: () => Promise<unknown>, prepare?: () => Promise<void>): Side => ({
    name,
    prepare: async () => {
      await prepare?.();
      arriving = await published(arrivals * 60);
    },
    run: async () => {
      const waits = await feed(arriving, (records) => processBatch(runtime, counting, records, control), meanwhile);
      for (const [which, p] of [
        ["median", 50],
        ["p95", 95],
      ] as const)
        lags[which].set(name, [...(lags[which].get(name) ?? []), percentile(waits, p)]);
      return percentile(waits, 50);
    },
  });
  const during = scaled(context, 4_000, 500);
  await runAlternately(
    [
      lagSide("alone", () => sleep(10_000)),
      lagSide(
        "beside a replay",
        () => runJob(during),
        () => approved(during),
      ),
    ],
    Math.min(context.rounds, 3),
  );
  const lagRow = (which: "median" | "p95"): Row => {
    // the first round is not counted, as everywhere
    const of = (name: string) => (lags[which].get(name) ?? []).slice(1);
    return compared(
      { rounds: 3, of },
      {
        suite,
        what: `a new event's wait beside a replay, ${which}`,
        unit: "ms",
        ours: "beside a replay",
        baseline: "alone",
        bar: { atMost: 2 },
        note: `${arrivals} events/s, in the same process as the replay, whose rate bound is lifted`,
      },
    );
  };
  return [
    compared(rates, {
      suite,
      what: `replay of ${items.toLocaleString("en")} events`,
      unit: "events/s",
      ours: "replay",
      baseline: "live",
      bar: { atLeast: 0.7 },
      note: "baseline: the consumer's own processBatch, one new event at a time; the replay also reads each event again from the log",
    }),
    lagRow("median"),
    lagRow("p95"),
  ];

  async function newOperator(): Promise<SignedInPerson> {
    const userId = newUuid();
    const { tenantGroupId } = world;
    await database.bare`
      insert into users (id, tenant_group_id, ref, email, name, password_hash)
      values (${userId}, ${tenantGroupId}, ${`ST-${userId.slice(-6)}`}, ${`${userId}@bench.example`}, 'Bench Operator', 'none')`;
    await database.bare`
      insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${userId}, 'APPOINTMENT_REPLAY_OPERATOR', ${clinic.id})`;
    return (await loadActor(database.web, { tenantGroupId, userId })) as SignedInPerson;
  }
};

/**
 * Hands events to the consumer at fixed moments until `meanwhile` has ended: as many as have arrived, a hundred at most, as a consumer takes them. Answers
 * how long each waited from its moment until it was processed, in milliseconds.
 */
async function feed(
  records: LogRecord[],
  process: (records: LogRecord[]) => Promise<unknown>,
  meanwhile: () => Promise<unknown>,
): Promise<number[]> {
  const waits: number[] = [];
  let isOver = false;
  const work = meanwhile().finally(() => {
    isOver = true;
  });
  const began = performance.now();
  const dueAt = (n: number) => began + (n * 1_000) / arrivals;
  for (let next = 0; !isOver && next < records.length; ) {
    const early = dueAt(next) - performance.now();
    if (early > 0) await sleep(Math.ceil(early));
    const until = Math.min(records.length, next + 100, Math.floor(((performance.now() - began) * arrivals) / 1_000) + 1);
    await process(records.slice(next, until));
    for (; next < until; next++) waits.push(performance.now() - dueAt(next));
  }
  await work;
  return waits;
}
