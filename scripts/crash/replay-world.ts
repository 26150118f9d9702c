// Stopped rows of a clinic, an operator of it, and a replay as the sweep brings it to where it is cut.
import { processBatch } from "@/server/domain/inbox/process-batch";
import { type LogicalConsumer, quarantine } from "@/server/domain/inbox/types";
import { approveReplay } from "@/server/domain/replay/approve-replay";
import { previewReplay } from "@/server/domain/replay/preview-replay";
import { runReplayOnce } from "@/server/domain/replay/run-replay-once";
import type { PersonActor } from "@/server/domain/scope/actor";
import { openPostgresLog } from "@/server/event-log/postgres";
import { newUuid } from "@/server/ids";
import { digestRing } from "./commands";
import { control, dailyLoad, publishTwo, recordsOf, runtimeOf } from "./consume";
import type { Handles, World } from "./operation";
import { expireLeases } from "./ticks";

export type Data = Record<string, string>;
const stopping: LogicalConsumer = { ...dailyLoad, handle: async (_, events) => events.map(() => quarantine("INVALID_PAYLOAD")) };
const bounds = { canarySize: 1, ratePerSecond: 50, maxSeconds: 300, stopSharePercent: 100 };

/** Two stopped rows of a clinic, and an operator of it. */
export async function stopTwo(world: World, run: number): Promise<Data> {
  const data = await publishTwo(world, run);
  await processBatch(await runtimeOf(world, data.logId as string), stopping, recordsOf(data), control());
  const { ber, tenantGroupId } = world.fixture.t1;
  const userId = await insertOperator(world);
  const rows = await world.superuser.$client`
    select last_partition as partition, last_offset as "offset" from inbox
    where consumer = ${dailyLoad.id} and aggregate_id = any (${(data.ids as string).split(",")}::uuid[]) order by 1, 2`;
  const ranges = JSON.stringify(rows.map(({ partition, offset }) => ({ partition, first: offset, last: offset })));
  return { ...data, userId, tenantGroupId, clinicId: ber.id, requestId: newUuid(), ranges };
}

export async function insertOperator(world: World): Promise<string> {
  const { ber, tenantGroupId } = world.fixture.t1;
  const userId = newUuid();
  const sql = world.superuser.$client;
  await sql`
    insert into users (id, tenant_group_id, ref, email, name, password_hash)
    values (${userId}, ${tenantGroupId}, ${`ST-${userId.slice(-6)}`}, ${`${userId}@clinic.invalid`}, 'Operator', 'x')`;
  await sql`
    insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${userId}, 'APPOINTMENT_REPLAY_OPERATOR', ${ber.id})`;
  return userId;
}

export const operatorOf = (data: Data, userId = data.userId as string): PersonActor => ({
  kind: "person",
  tenantGroupId: data.tenantGroupId as string,
  clinicIds: [data.clinicId as string],
  userId,
  ref: "ST-CRASH1",
  roles: [],
});

/** Both rows lie in one range when they share a partition; a partition may be named once. */
function rangesOf(data: Data) {
  const ranges = JSON.parse(data.ranges as string) as { partition: number; first: string; last: string }[];
  const [one, two] = ranges;
  return one && two && one.partition === two.partition ? [{ ...one, last: two.last }] : ranges;
}

export const preview = ({ web }: Pick<Handles, "web">, data: Data) =>
  previewReplay({ db: web, eventLog: openPostgresLog(web), ring: digestRing }, operatorOf(data), {
    clinicId: data.clinicId as string,
    requestId: data.requestId as string,
    selection: { kind: "range", consumer: dailyLoad.id, recordsMax: 10, ranges: rangesOf(data) },
  });

export const approve = ({ web }: Pick<Handles, "web">, data: Data) =>
  approveReplay({ db: web }, operatorOf(data), {
    clinicId: data.clinicId as string,
    requestId: data.requestId as string,
    digest: data.digest as string,
    bounds,
    reason: "Release 4.2 mends the handler",
  });

export const run = async (handles: Handles, data: Data) =>
  runReplayOnce(await runtimeOf(handles, data.logId as string), openPostgresLog(handles.worker), [dailyLoad], control(), {
    sleep: async () => {},
  });

export async function previewed(world: World, n: number): Promise<Data> {
  const data = await stopTwo(world, n);
  const { request } = await preview(world, data);
  if (!request) throw new Error("nothing was bound");
  return { ...data, digest: request.manifestDigest };
}

/** An approved request, and no other that a runner would take first. */
export async function queued(world: World, n: number): Promise<Data> {
  const data = await previewed(world, n);
  do await expireLeases(world);
  while ((await run(world, data)).claimed > 0);
  await approve(world, data);
  return data;
}

/** Runs it by other runners until it has ended. */
export async function runToItsEnd(world: World, data: Data): Promise<void> {
  for (let round = 0; round < 10 && !(await requestOf(world, data))?.ended_at; round++) {
    await expireLeases(world);
    await run(world, data);
  }
}

export const requestOf = async ({ superuser }: World, data: Data) =>
  (
    await superuser.$client`select *, processed + duplicate + retryable + quarantined + skipped + not_reached as sum from replay_requests where request_id = ${data.requestId as string}`
  )[0];
