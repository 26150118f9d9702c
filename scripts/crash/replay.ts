// A replay, as the sweep cuts it: its preview and approval are there whole or not at all, and whatever happens to its runner, each row has its effect once and
// the receipt adds up.
import { processBatch } from "@/server/domain/inbox/process-batch";
import { retryOnce } from "@/server/domain/inbox/retry-once";
import { type LogicalConsumer, quarantine } from "@/server/domain/inbox/types";
import { approveReplay } from "@/server/domain/replay/approve-replay";
import { previewReplay } from "@/server/domain/replay/preview-replay";
import { runReplayOnce } from "@/server/domain/replay/run-replay-once";
import type { PersonActor } from "@/server/domain/scope/actor";
import { openPostgresLog } from "@/server/event-log/postgres";
import { newUuid } from "@/server/ids";
import { digestRing } from "./commands";
import { control, dailyLoad, publishTwo, recordsOf, runtimeOf } from "./consume";
import type { Handles, Operation, World } from "./operation";
import { expireLeases } from "./ticks";

type Data = Record<string, string>;
const stopping: LogicalConsumer = { ...dailyLoad, handle: async (_, events) => events.map(() => quarantine("INVALID_PAYLOAD")) };
const bounds = { canarySize: 1, ratePerSecond: 50, maxSeconds: 300, stopSharePercent: 100 };

/** Two stopped rows of a clinic, and an operator of it. */
async function stopTwo(world: World, run: number): Promise<Data> {
  const data = await publishTwo(world, run);
  await processBatch(await runtimeOf(world, data.logId as string), stopping, recordsOf(data), control());
  const { ber, tenantGroupId } = world.fixture.t1;
  const userId = newUuid();
  const sql = world.superuser.$client;
  await sql`
    insert into users (id, tenant_group_id, ref, email, name, password_hash)
    values (${userId}, ${tenantGroupId}, ${`ST-${userId.slice(-6)}`}, ${`${userId}@clinic.invalid`}, 'Operator', 'x')`;
  await sql`
    insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${userId}, 'APPOINTMENT_REPLAY_OPERATOR', ${ber.id})`;
  const rows = await sql`
    select last_partition as partition, last_offset as "offset" from inbox
    where consumer = ${dailyLoad.id} and aggregate_id = any (${(data.ids as string).split(",")}::uuid[]) order by 1, 2`;
  const ranges = JSON.stringify(rows.map(({ partition, offset }) => ({ partition, first: offset, last: offset })));
  return { ...data, userId, tenantGroupId, clinicId: ber.id, requestId: newUuid(), ranges };
}

const operatorOf = (data: Data): PersonActor => ({
  kind: "person",
  tenantGroupId: data.tenantGroupId as string,
  clinicIds: [data.clinicId as string],
  userId: data.userId as string,
  ref: "ST-CRASH1",
  roles: [],
});

/** Both rows lie in one range when they share a partition; a partition may be named once. */
function rangesOf(data: Data) {
  const ranges = JSON.parse(data.ranges as string) as { partition: number; first: string; last: string }[];
  const [one, two] = ranges;
  return one && two && one.partition === two.partition ? [{ ...one, last: two.last }] : ranges;
}

const preview = ({ web }: Pick<Handles, "web">, data: Data) =>
  previewReplay({ db: web, eventLog: openPostgresLog(web), ring: digestRing }, operatorOf(data), {
    clinicId: data.clinicId as string,
    requestId: data.requestId as string,
    selection: { kind: "range", consumer: dailyLoad.id, recordsMax: 10, ranges: rangesOf(data) },
  });

const approve = ({ web }: Pick<Handles, "web">, data: Data) =>
  approveReplay({ db: web }, operatorOf(data), {
    clinicId: data.clinicId as string,
    requestId: data.requestId as string,
    digest: data.digest as string,
    bounds,
    reason: "Release 4.2 mends the handler",
  });

const run = async (handles: Handles, data: Data) =>
  runReplayOnce(await runtimeOf(handles, data.logId as string), openPostgresLog(handles.worker), [dailyLoad], control(), {
    sleep: async () => {},
  });

async function previewed(world: World, n: number): Promise<Data> {
  const data = await stopTwo(world, n);
  const { request } = await preview(world, data);
  if (!request) throw new Error("nothing was bound");
  return { ...data, digest: request.manifestDigest };
}

/** What a request has left: its row, items, open items and entries of the audit. */
async function partsOf({ superuser }: World, data: Data): Promise<string> {
  const [row] = await superuser.$client`
    select concat_ws(',',
      (select count(*) from replay_requests where request_id = ${data.requestId as string}),
      (select count(*) from replay_items where request_id = ${data.requestId as string}),
      (select count(*) from audit_entries where subject_id = ${data.requestId as string} and act = 'replay.previewed'),
      (select count(*) from replay_requests where request_id = ${data.requestId as string} and job_ref is not null),
      (select count(*) from replay_items where request_id = ${data.requestId as string} and is_open),
      (select count(*) from audit_entries where subject_id = ${data.requestId as string} and act = 'replay.approved' and result = 'DONE')) as counts`;
  return row?.counts;
}

const [nothing, bound, approved] = ["0,0,0,0,0,0", "1,2,1,0,0,0", "1,2,1,1,2,1"];

/** An act that is there whole or not at all, and the same one when it is sent again. */
const act = (
  name: string,
  prepare: Operation["prepare"],
  send: (handles: Handles, data: Data) => Promise<unknown>,
  before: string,
  after: string,
): Operation => ({
  name,
  prepare,
  act: async (handles, data) => {
    await send(handles, data);
    return {};
  },
  async inspect(world, data, report) {
    const parts = await partsOf(world, data);
    const found = [before, after].includes(parts) ? [] : [`half of it: ${parts}`];
    return report.answer && parts !== after ? [...found, `answered, and not there: ${parts}`] : found;
  },
  async retry(world, data) {
    for (const _ of [1, 2]) await send(world, data);
    const parts = await partsOf(world, data);
    return parts === after ? [] : [`not there once: ${parts}`];
  },
});

type RowNow = { state: string; has_effect: boolean; processed: number };
const rowsOf = async ({ superuser }: World, data: Data) => [
  ...(await superuser.$client<RowNow[]>`
    select i.state, exists (select 1 from daily_load_visits v where v.appointment_id = i.aggregate_id) as has_effect,
      (select count(*)::int from inbox_deliveries d where d.inbox_id = i.id and d.outcome = 'PROCESSED') as processed
    from inbox i
    where i.consumer = ${dailyLoad.id} and i.aggregate_id = any (${(data.ids as string).split(",")}::uuid[])`),
];
const requestOf = async ({ superuser }: World, data: Data) =>
  (
    await superuser.$client`select *, processed + duplicate + retryable + quarantined + skipped + not_reached as sum from replay_requests where request_id = ${data.requestId as string}`
  )[0];

const runOperation: Operation = {
  name: "replay run",
  usesWorker: true,
  async prepare(world, n) {
    const data = await previewed(world, n);
    do await expireLeases(world);
    while ((await run(world, data)).claimed > 0); // jobs that other operations have left would go first
    await approve(world, data);
    return data;
  },
  act: async (handles, data) => ({ ...(await run(handles, data)) }),
  async inspect(world, data, report) {
    const found = (await rowsOf(world, data))
      .filter((row) => (row.state === "PROCESSED") !== row.has_effect || row.processed > 1)
      .map((row) => `effect and mark differ: ${JSON.stringify(row)}`);
    const request = await requestOf(world, data);
    if (report.answer?.state === "COMPLETED" && request?.state !== "COMPLETED") found.push("told COMPLETED, and it is not");
    if (request?.ended_at && request.sum !== request.records)
      found.push(`a receipt that does not add up: ${request.sum} of ${request.records}`);
    return found;
  },
  async retry(world, data) {
    for (let round = 0; round < 10 && !(await requestOf(world, data))?.ended_at; round++) {
      await expireLeases(world);
      await run(world, data);
    }
    const request = await requestOf(world, data);
    const found =
      request?.ended_at && request.sum === request.records ? [] : [`no receipt that adds up: ${request?.state} ${request?.sum}`];
    const runtime = await runtimeOf(world, data.logId as string);
    for (let round = 0; round < 5; round++) {
      await expireLeases(world);
      if ((await retryOnce(runtime, openPostgresLog(world.worker), [dailyLoad], control())).due === 0) break;
    }
    const rows = (await rowsOf(world, data)).filter((row) => row.state !== "PROCESSED" || !row.has_effect || row.processed !== 1);
    return [...found, ...rows.map((row) => `not done once: ${JSON.stringify(row)}`)];
  },
};

export const replayOperations: Operation[] = [
  act("replay preview", stopTwo, preview, nothing, bound),
  act("replay approve", previewed, approve, bound, approved),
  runOperation,
];
