import { type Tx, withTx } from "@/db/client";
import { applyWithoutKey } from "@/server/domain/planning/apply-plan";
import { calculateOnce, type SolverDeps } from "@/server/domain/planning/calculate-once";
import { writeRun } from "@/server/domain/planning/request-run";
import { solve } from "@/server/domain/planning/solver/solve";
import type { ApplyResult } from "@/server/domain/planning/types";
import { newRef, newUuid } from "@/server/ids";
import { type DrillWorld, drillLeaseMs } from "./drill-world";
import { operatorOf } from "./synthetic-scope";

const hourMs = 3_600_000;

/** Two doctors who work round the clock, and three visits of the first one on the day after tomorrow, in the morning. */
export type DrillClinic = { day: string; doctors: [string, string]; visits: string[] };

export async function makeClinic(world: DrillWorld): Promise<DrillClinic> {
  const { tenantGroupId, clinicId } = world.scope;
  const day = new Date(Date.now() + 48 * hourMs).toISOString().slice(0, 10);
  const doctors = [0, 1].map(() => ({ id: newUuid(), ref: newRef("D"), resource_id: newUuid() }));
  const patients = [0, 1, 2].map(() => ({ id: newUuid(), ref: newRef("PT"), resource_id: newUuid() }));
  const treatments = [{ id: newUuid(), ref: newRef("TR") }];
  const visits = patients.map((patient, i) => ({
    id: newUuid(),
    ref: newRef("APT"),
    patient_id: patient.id,
    doctor_id: doctors[0]?.id,
    treatment_id: treatments[0]?.id,
    starts_at: `${day}T${9 + i < 10 ? "09" : 9 + i}:00:00Z`,
    ends_at: `${day}T${9 + i < 10 ? "09" : 9 + i}:30:00Z`,
  }));
  const resources = [
    ...doctors.map(({ resource_id: id }) => ({ id, kind: "DOCTOR" })),
    ...patients.map(({ resource_id: id }) => ({ id, kind: "PATIENT" })),
  ];
  const made = JSON.stringify({ resources, doctors, patients, treatments, visits });
  await asWorker(world, (tx) => tx.sql`select fill_synthetic_clinic(${tenantGroupId}::uuid, ${clinicId}::uuid, ${made}::jsonb)`);
  return { day, doctors: doctors.map(({ id }) => id) as [string, string], visits: visits.map(({ id }) => id) };
}

/** A doctor is away; part of a transaction that the caller may keep open. */
export const addAbsence = (tx: Tx, { scope }: DrillWorld, clinic: DrillClinic, doctor: 0 | 1, from: string, until: string) => tx.sql`
  select add_synthetic_absence(${scope.tenantGroupId}::uuid, ${scope.clinicId}::uuid, ${clinic.doctors[doctor]}::uuid,
    tstzrange(${`${clinic.day}T${from}Z`}::timestamptz, ${`${clinic.day}T${until}Z`}::timestamptz))`;

export const changeFact = (world: DrillWorld, clinic: DrillClinic, doctor: 0 | 1, from: string, until: string) =>
  asWorker(world, (tx) => addAbsence(tx, world, clinic, doctor, from, until));

/** As the operator of the scope: asks for new times of the day. Answers the run's id. */
export async function askForPlan(world: DrillWorld, { day }: DrillClinic): Promise<string> {
  const actor = operatorOf(world.scope, world.deps.worker);
  const wish = { fromDate: day, untilDate: day, chosenIds: [], clinicId: world.scope.clinicId, requestedFrom: "OPERATIONS" as const };
  const { id } = await withTx(world.db, actor, (tx) => writeRun(tx, { ...wish, actor, commandId: newUuid() }));
  return id;
}

/** One solver, in this process: the drill's plans are small. */
export async function calculate(world: DrillWorld, solver: string, more: Partial<SolverDeps> = {}): Promise<string> {
  const { clock, worker, signal } = world.deps;
  const deps: SolverDeps = {
    db: world.db,
    worker: `${worker}:${solver}`,
    clock,
    solve: (problem, options) => solve(problem, options),
    ...more,
  };
  const { state } = await calculateOnce(deps, { signal }, { leaseMs: drillLeaseMs });
  return String(state);
}

export const applyRun = (world: DrillWorld, runId: string): Promise<ApplyResult> =>
  applyWithoutKey(world.db, operatorOf(world.scope, world.deps.worker), { clinicId: world.scope.clinicId, runId, commandId: newUuid() });

/** What a plan can have written, counted over all visits of the scope. */
export const writtenVisits = (world: DrillWorld): Promise<string> =>
  world.read(async (tx) => {
    const [row] = await tx.sql<{ moved: number; history: number; events: number; told: number; overlaps: number }[]>`
      select (select count(*)::int4 from appointments where tenant_group_id = ${world.scope.tenantGroupId} and version > 1) as moved,
        (select count(*)::int4 from appointment_history where tenant_group_id = ${world.scope.tenantGroupId}) as history,
        (select count(*)::int4 from outbox where tenant_group_id = ${world.scope.tenantGroupId}) as events,
        (select count(*)::int4 from notification_intents where tenant_group_id = ${world.scope.tenantGroupId}) as told,
        (select count(*)::int4 from resource_claims a join resource_claims b on b.resource_id = a.resource_id and b.id > a.id and b.during && a.during
         where a.tenant_group_id = ${world.scope.tenantGroupId}) as overlaps`;
    return row ? written(row) : "nothing was asked";
  });

/** `moved` visits, each with one history row, one event and one message, and no place given twice. */
export const written = ({
  moved,
  history = moved,
  events = moved,
  told = moved,
  overlaps = 0,
}: Partial<Written> & { moved: number }): string =>
  `${moved} moved, ${history} history rows, ${events} events, ${told} messages, ${overlaps} overlaps`;
type Written = { moved: number; history: number; events: number; told: number; overlaps: number };

const asWorker = <T>(world: DrillWorld, work: (tx: Tx) => Promise<T>): Promise<T> =>
  withTx(world.db, { worker: world.deps.worker, tenantGroupId: world.scope.tenantGroupId }, work);
