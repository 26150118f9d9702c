// A plan, as the sweep cuts it: its request and its apply are there whole or not at all, and a calculation that was cut is taken over and counts once.
import type { Db } from "@/db/client";
import { systemClock } from "@/server/clock";
import { applyAgainOnce } from "@/server/domain/planning/apply-again-once";
import { applyPlan } from "@/server/domain/planning/apply-plan";
import { calculateOnce } from "@/server/domain/planning/calculate-once";
import { requestRun } from "@/server/domain/planning/request-run";
import { solve } from "@/server/domain/planning/solver/solve";
import { PlanningWorld } from "@/server/domain/planning/testing";
import type { PersonActor } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";
import { digestRing } from "./commands";
import type { Handles, Operation, World } from "./operation";
import { expireLeases } from "./ticks";

type Data = Record<string, string>;
const depsOf = (db: Db) => ({ db, digestKeys: digestRing, retentionHours: 24, waitMs: 2_000 });

/** A clinic that no other operation books in, and a day of its own for each run. */
async function dayOf(world: World, run: number): Promise<PlanningWorld> {
  const { web, worker, superuser, fixture } = world;
  const there = await PlanningWorld.over({ web, worker, superuser, migrator: superuser }, fixture, fixture.t1.nyc);
  for (let n = 0; n <= run; n++) there.nextDay();
  return there;
}

const dataOf = (there: PlanningWorld): Data => ({
  tenantGroupId: there.clinic.tenantGroupId,
  clinicId: there.clinic.id,
  userId: there.staff.userId,
  ref: there.staff.ref,
  day: there.day,
  key: newUuid(),
});

const callOf = (data: Data, body: unknown) => {
  const [clinicId, tenantGroupId] = [data.clinicId as string, data.tenantGroupId as string];
  const roles: PersonActor["roles"] = [{ role: "STAFF", clinicId }];
  const actor: PersonActor = {
    kind: "person",
    tenantGroupId,
    clinicIds: [clinicId],
    userId: data.userId as string,
    ref: data.ref as string,
    roles,
  };
  return { actor, clinicId, key: data.key as string, requestId: `crash-${data.key}`, method: "MUTATION", body };
};

const rangeOf = (data: Data) => ({ fromDate: data.day as string, untilDate: data.day as string, chosenIds: [] });
const request = ({ web }: Pick<Handles, "web">, data: Data) =>
  requestRun(depsOf(web), callOf(data, rangeOf(data)), rangeOf(data), "OPERATIONS");
const apply = ({ web }: Pick<Handles, "web">, data: Data) => applyPlan(depsOf(web), callOf(data, {}), data.runId as string);
const calculate = ({ worker }: Pick<Handles, "worker">) =>
  calculateOnce(
    { db: worker, worker: "solver-crash", clock: systemClock, solve: (problem, options) => solve(problem, options) },
    { signal: new AbortController().signal },
  );

const countsOf = async ({ superuser }: World, query: string, id: string): Promise<string> =>
  (await superuser.$client.unsafe(query, [id]))[0]?.counts as string;

/** Everything that an apply writes of a run with one move, in one line. */
const appliedParts = (world: World, data: Data) =>
  countsOf(
    world,
    `select concat_ws(',', r.state,
       (select count(*) from appointments a join planning_run_moves m on m.appointment_id = a.id where m.run_id = r.id and a.version = 2),
       (select count(*) from appointment_history h where h.command_id = r.apply_command_id),
       (select count(*) from outbox o where o.command_id = r.apply_command_id),
       (select count(*) from notification_intents n where n.command_id = r.apply_command_id),
       (select count(*) from planning_apply_attempts t where t.run_id = r.id),
       (select count(*) from audit_entries e where e.subject_id = r.id and e.act = 'planning.applied' and e.result = 'DONE')) as counts
     from planning_runs r where r.id = $1`,
    data.runId as string,
  );
const [calculated, applied] = ["CALCULATED,0,0,0,0,0,0", "APPLIED,1,1,1,1,1,1"];

const applyOperation: Operation = {
  name: "plan apply",
  async prepare(world, run) {
    const there = await dayOf(world, run);
    const visit = await there.visit("09:00");
    await there.visit("11:00");
    return { ...dataOf(there), runId: await there.calculated([{ visit, at: "10:00" }]) };
  },
  async act(handles, data) {
    const { status, body } = await apply(handles, data);
    return { status, outcome: JSON.parse(body).outcome };
  },
  async inspect(world, data, report) {
    const parts = await appliedParts(world, data);
    const found = [calculated, applied].includes(parts) ? [] : [`half of it: ${parts}`];
    return report.answer && parts !== applied ? [...found, `answered, and not there: ${parts}`] : found;
  },
  async retry(world, data) {
    const ends: string[] = [];
    for (const _ of [1, 2]) ends.push(JSON.parse((await apply(world, data)).body).outcome);
    const parts = await appliedParts(world, data);
    return parts === applied && ends.every((end) => end === "APPLIED") ? [] : [`not there once: ${parts}, answered ${ends}`];
  },
};

/** The database has broken a person's apply off, and it is time for the worker; runs of earlier rounds are left alone. */
async function dueAgain({ superuser }: World, { runId, userId, ref }: Data): Promise<void> {
  await superuser.$client`update planning_runs set next_attempt_at = null where state = 'RETRYABLE' and id <> ${runId as string}`;
  await superuser.$client`
    update planning_runs
    set state = 'RETRYABLE', sqlstate = '40001', worker_attempts = 0, next_attempt_at = clock_timestamp() - interval '1 s', lease_owner = null,
        lease_until = null, apply_by_id = ${userId as string}, apply_by_ref = ${ref as string}
    where id = ${runId as string} and state in ('CALCULATED', 'RETRYABLE')`;
}
const retryable = "RETRYABLE,0,0,0,0,0,0";

const applyAgainOperation: Operation = {
  name: "plan apply again",
  usesWorker: true,
  async prepare(world, run) {
    const data = await applyOperation.prepare(world, run);
    await dueAgain(world, data);
    return data;
  },
  act: async ({ worker }) => ({ ...(await applyAgainOnce(worker, "crash-planner")) }),
  async inspect(world, data, report) {
    const parts = await appliedParts(world, data);
    const found = [retryable, applied].includes(parts) ? [] : [`half of it: ${parts}`];
    return report.answer?.outcome === "APPLIED" && parts !== applied ? [...found, `told APPLIED, and not there: ${parts}`] : found;
  },
  async retry(world, data) {
    for (let round = 0; round < 2; round++) {
      await dueAgain(world, data);
      await applyAgainOnce(world.worker, "crash-planner");
    }
    const parts = await appliedParts(world, data);
    return parts === applied ? [] : [`not applied once: ${parts}`];
  },
};

const requestParts = (world: World, data: Data) =>
  countsOf(
    world,
    `select concat_ws(',', (select count(*) from planning_runs r join idempotency_keys k on k.command_id = r.command_id where k.key = $1 and r.state = 'REQUESTED'),
       (select count(*) from idempotency_keys k where k.key = $1 and k.status = 201),
       (select count(*) from audit_entries e join idempotency_keys k on k.command_id = e.command_id where k.key = $1)) as counts`,
    data.key as string,
  );

const requestOperation: Operation = {
  name: "plan request",
  prepare: async (world, run) => dataOf(await dayOf(world, run)),
  async act(handles, data) {
    const { status, body } = await request(handles, data);
    return { status, body };
  },
  async inspect(world, data, report) {
    const parts = await requestParts(world, data);
    const found = ["0,0,0", "1,1,1"].includes(parts) ? [] : [`half of it: ${parts}`];
    return report.answer && parts !== "1,1,1" ? [...found, `answered, and not there: ${parts}`] : found;
  },
  async retry(world, data) {
    for (const _ of [1, 2]) await request(world, data);
    const parts = await requestParts(world, data);
    await endOpenRuns(world);
    return parts === "1,1,1" ? [] : [`not there once: ${parts}`];
  },
};

/** What this and other runs have left to be calculated would go first. */
const endOpenRuns = ({ superuser }: World) => superuser.$client`
  update planning_runs
  set state = 'DISCARDED', ended_at = clock_timestamp(), ended_reason = 'DISCARDED', lease_owner = null, lease_until = null
  where state in ('REQUESTED', 'CALCULATING')`;

const runParts = (world: World, data: Data) =>
  countsOf(
    world,
    `select concat_ws(',', r.state, r.sources is not null, (select count(*) from planning_run_sources s where s.run_id = r.id) = coalesce(r.sources, 0),
       (select count(*) from planning_run_moves m where m.run_id = r.id) = coalesce(r.moves + r.unplaced, 0) + r.stays,
       (select count(*) from audit_entries e where e.subject_id = r.id and e.act = 'planning.calculated')) as counts
     from planning_runs r where r.id = $1`,
    data.runId as string,
  );
const done = "CALCULATED,t,t,t,1";

const calculateOperation: Operation = {
  name: "plan calculation",
  usesWorker: true,
  async prepare(world, run) {
    await endOpenRuns(world);
    const there = await dayOf(world, run);
    await there.visit("09:00", { status: "REQUESTED" });
    await there.visit("11:00");
    const data = dataOf(there);
    return { ...data, runId: JSON.parse((await request(world, data)).body).id };
  },
  act: async (handles) => ({ ...(await calculate(handles)) }),
  async inspect(world, data, report) {
    const parts = await runParts(world, data);
    const found = ["REQUESTED,f,t,t,0", "CALCULATING,f,t,t,0", done].includes(parts) ? [] : [`half of it: ${parts}`];
    return report.answer?.state === "CALCULATED" && parts !== done ? [...found, `told CALCULATED, and it is ${parts}`] : found;
  },
  async retry(world, data) {
    for (let round = 0; round < 4 && (await runParts(world, data)) !== done; round++) {
      await expireLeases(world);
      await calculate(world);
    }
    const parts = await runParts(world, data);
    return parts === done ? [] : [`not calculated once: ${parts}`];
  },
};

export const planningOperations: Operation[] = [requestOperation, calculateOperation, applyOperation, applyAgainOperation];
