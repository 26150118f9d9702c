// The consumer runtime, as the sweep cuts it: a batch with an effect, an attempt that fails, and the scheduler's next attempt.
import { systemClock } from "@/server/clock";
import type { LogRecord } from "@/server/domain/event-log/port";
import { processBatch } from "@/server/domain/inbox/process-batch";
import { retryOnce } from "@/server/domain/inbox/retry-once";
import { type LogicalConsumer, retryLater } from "@/server/domain/inbox/types";
import { openPostgresLog } from "@/server/event-log/postgres";
import { logicalConsumers } from "@/workers/logical-consumers";
import { bookVisit, digestRing } from "./commands";
import type { Handles, Operation, World } from "./operation";
import { expireLeases, relay } from "./ticks";

export const dailyLoad = logicalConsumers.find(({ id }) => id === "daily-load-v1") as LogicalConsumer;
/** Does the work and then says "not now": nothing of it may stay. */
const failing: LogicalConsumer = {
  ...dailyLoad,
  handle: async (tx, events) => {
    await dailyLoad.handle(tx, events);
    return events.map(() => retryLater("TEST_REFUSED"));
  },
};
export const control = () => ({ signal: AbortSignal.timeout(8_000), heartbeat: async () => {} });

export const runtimeOf = async ({ worker }: Handles, logId: string) => ({
  db: worker,
  worker: "crash-consumer",
  logId,
  ring: digestRing,
  clock: systemClock,
  random: Math.random,
});

/** Two visits whose events lie in the log; the consumer has not seen them. */
export async function publishTwo(world: World, run: number): Promise<Record<string, string>> {
  const visits = [await bookVisit(world, run * 2), await bookVisit(world, run * 2 + 1)];
  while ((await relay(world)).claimed > 0); // other operations may have left more than one tick takes
  const log = openPostgresLog(world.worker);
  const records: LogRecord[] = [];
  for (const visit of visits) {
    const [row] = await world.superuser.$client`
      select topic, log_partition, log_offset from outbox where aggregate_id = ${visit.appointmentId as string}`;
    const read = await log.readAt(row?.topic, row?.log_partition, [row?.log_offset], { deadlineMs: 5_000 });
    records.push(read.get(row?.log_offset) as LogRecord);
  }
  const ids = visits.map((visit) => visit.appointmentId).join();
  return { ids, records: JSON.stringify(records), logId: await log.logId() };
}

export const recordsOf = (data: Record<string, string>): LogRecord[] => JSON.parse(data.records as string);

async function inspect(world: World, data: Record<string, string>): Promise<string[]> {
  const rows = await stateOf(world, data);
  return rows
    .filter((row) => (row.state === "PROCESSED") !== row.has_effect || row.processed > 1)
    .map((row) => `effect and mark differ: ${JSON.stringify(row)}`);
}

/** Redelivery, then the scheduler until nothing is due; with the handler that works. */
async function retry(world: World, data: Record<string, string>): Promise<string[]> {
  const runtime = await runtimeOf(world, data.logId as string);
  await expireLeases(world);
  await processBatch(runtime, dailyLoad, recordsOf(data), control());
  for (let round = 0; round < 10; round++) {
    await expireLeases(world);
    if ((await retryOnce(runtime, openPostgresLog(world.worker), [dailyLoad], control())).due === 0) break;
  }
  await processBatch(runtime, dailyLoad, recordsOf(data), control());
  const rows = await stateOf(world, data);
  const found = rows
    .filter((row) => row.state !== "PROCESSED" || !row.has_effect || row.processed !== 1 || row.duplicates < 1)
    .map((row) => `not done once: ${JSON.stringify(row)}`);
  const [wrong] = await world.superuser.$client`
    select count(*)::int as n from daily_load d
    where d.booked <> (select count(*) from daily_load_visits v where v.clinic_id = d.clinic_id and v.local_date = d.local_date)`;
  return wrong?.n === 0 ? found : [...found, "the day's count is not the count of its visits"];
}

type Row = { state: string | null; has_effect: boolean; processed: number; duplicates: number };
async function stateOf({ superuser }: World, data: Record<string, string>): Promise<Row[]> {
  const rows = await superuser.$client`
    select i.state, exists (select 1 from daily_load_visits v where v.appointment_id = a.id) as has_effect,
      (select count(*)::int from inbox_deliveries d where d.inbox_id = i.id and d.outcome = 'PROCESSED') as processed,
      (select count(*)::int from inbox_deliveries d where d.inbox_id = i.id and d.outcome = 'DUPLICATE') as duplicates
    from appointments a
    left join inbox i on i.aggregate_id = a.id and i.consumer = ${dailyLoad.id}
    where a.id = any (${(data.ids as string).split(",")}::uuid[])`;
  return [...rows] as unknown as Row[];
}

const consume = (consumer: LogicalConsumer) => async (handles: Handles, data: Record<string, string>) => ({
  ...(await processBatch(await runtimeOf(handles, data.logId as string), consumer, recordsOf(data), control())),
});

export const consumeOperations: Operation[] = [
  { name: "consume effect", usesWorker: true, prepare: publishTwo, act: consume(dailyLoad), inspect, retry },
  { name: "consume failure", usesWorker: true, prepare: publishTwo, act: consume(failing), inspect, retry },
  {
    name: "retry tick",
    usesWorker: true,
    async prepare(world, run) {
      const data = await publishTwo(world, run);
      await consume(failing)(world, data);
      await expireLeases(world);
      return data;
    },
    act: async (handles, data) => ({
      ...(await retryOnce(await runtimeOf(handles, data.logId as string), openPostgresLog(handles.worker), [dailyLoad], control())),
    }),
    inspect,
    retry,
  },
];
