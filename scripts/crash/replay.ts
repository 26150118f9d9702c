// A replay, as the sweep cuts it: what people do about it is there whole or not at all, and whatever happens to its runner, each row has its effect once and
// the receipt adds up.
import { retryOnce } from "@/server/domain/inbox/retry-once";
import { approveReplaySecond } from "@/server/domain/replay/approve-replay";
import { controlReplay } from "@/server/domain/replay/control-replay";
import { openPostgresLog } from "@/server/event-log/postgres";
import { control, dailyLoad, runtimeOf } from "./consume";
import type { Handles, Operation, World } from "./operation";
import {
  approve,
  type Data,
  insertOperator,
  operatorOf,
  preview,
  previewed,
  queued,
  requestOf,
  run,
  runToItsEnd,
  stopTwo,
} from "./replay-world";
import { expireLeases } from "./ticks";

const approveSecond = ({ web }: Pick<Handles, "web">, data: Data) =>
  approveReplaySecond({ db: web }, operatorOf(data, data.secondId), {
    clinicId: data.clinicId as string,
    requestId: data.requestId as string,
    digest: data.digest as string,
  });

const cancel = ({ web }: Pick<Handles, "web">, data: Data) =>
  controlReplay({ db: web }, operatorOf(data), { clinicId: data.clinicId as string, requestId: data.requestId as string, act: "CANCEL" });

async function awaitingSecond(world: World, n: number): Promise<Data> {
  const data = await previewed(world, n);
  await world.superuser.$client`update replay_requests set needs_second = true where request_id = ${data.requestId as string}`;
  await approve(world, data);
  return { ...data, secondId: await insertOperator(world) };
}

/** What a request has left: its row, items, open items and entries of the audit, and its state. */
async function partsOf({ superuser }: World, data: Data): Promise<string> {
  const [row] = await superuser.$client`
    select concat_ws(',',
      (select count(*) from replay_requests where request_id = ${data.requestId as string}),
      (select count(*) from replay_items where request_id = ${data.requestId as string}),
      (select count(*) from audit_entries where subject_id = ${data.requestId as string} and act = 'replay.previewed'),
      (select count(*) from replay_requests where request_id = ${data.requestId as string} and job_ref is not null),
      (select count(*) from replay_items where request_id = ${data.requestId as string} and is_open),
      (select count(*) from audit_entries where subject_id = ${data.requestId as string} and act = 'replay.approved' and result = 'DONE'),
      (select count(*) from audit_entries where subject_id = ${data.requestId as string} and act = 'replay.approved-second'),
      (select count(*) from audit_entries where subject_id = ${data.requestId as string} and act = 'replay.cancelled' and result = 'DONE'),
      (select state from replay_requests where request_id = ${data.requestId as string})) as counts`;
  return row?.counts;
}

const [nothing, bound, approved] = ["0,0,0,0,0,0,0,0", "1,2,1,0,0,0,0,0,PREVIEWED", "1,2,1,1,2,1,0,0,QUEUED"];
const [asked, seconded, cancelled] = ["1,2,1,1,2,0,0,0,AWAITING_SECOND", "1,2,1,1,2,0,1,0,QUEUED", "1,2,1,1,0,1,0,1,CANCELLED"];

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
const runOperation: Operation = {
  name: "replay run",
  usesWorker: true,
  prepare: queued,
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
    await runToItsEnd(world, data);
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
  act("replay second", awaitingSecond, approveSecond, asked, seconded),
  act("replay cancel", queued, cancel, approved, cancelled),
  runOperation,
];
