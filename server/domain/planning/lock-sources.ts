import type { Tx } from "@/db/client";
import { toIso } from "@/server/clock";
import type { AppointmentState } from "@/server/domain/appointments/states";
import type { PlannedPlace } from "./place-visit";

/** A visit that moves, as it is now; `version` is the one that the plan expects. */
export type LoadedMove = {
  id: string;
  ref: string;
  version: string;
  status: AppointmentState;
  patientId: string;
  patientResourceId: string;
  treatmentId: string;
  doctorId: string;
  startsAt: string;
  endsAt: string;
  localDate: string;
  to: PlannedPlace;
};

/** A row that the plan rests on; `found` null: it is gone. */
export type SourceRow = { ref: string; kind: "VERSION" | "PLACEMENT"; expected: string; found: string | null; isAsExpected: boolean };

export async function loadMoves(tx: Tx, runId: string): Promise<LoadedMove[]> {
  const rows = await tx.sql`
    select a.id, a.ref, s.expected_version, a.status, a.patient_id, p.resource_id, a.treatment_id, a.doctor_id, a.starts_at, a.ends_at, a.local_date,
           m.to_doctor_id, m.to_starts_at, m.to_equipment_ids
    from planning_run_moves m
    join planning_run_sources s on s.run_id = m.run_id and s.appointment_id = m.appointment_id
    join appointments a on a.id = m.appointment_id
    join patients p on p.id = a.patient_id
    where m.run_id = ${runId} and m.kind = 'MOVE'
    order by a.id`;
  return rows.map((row) => ({
    id: row.id,
    ref: row.ref,
    version: row.expected_version,
    status: row.status,
    patientId: row.patient_id,
    patientResourceId: row.resource_id,
    treatmentId: row.treatment_id,
    doctorId: row.doctor_id,
    startsAt: toIso(row.starts_at),
    endsAt: toIso(row.ends_at),
    localDate: row.local_date,
    to: { doctorId: row.to_doctor_id, startsAt: toIso(row.to_starts_at), equipmentIds: row.to_equipment_ids },
  }));
}

/** In the order of their ids, as every writer takes them. A rival who changed one of them since our snapshot makes this 40001: the attempt begins anew. */
export async function lockResources(tx: Tx, resourceIds: readonly string[]): Promise<void> {
  await tx.sql`select id from resources where id = any (${[...resourceIds]}::uuid[]) order by id for no key update`;
}

/** Locks every row that the plan rests on, in the order of the ids, and says how each one is. A row that changed since our snapshot makes this 40001. */
export const lockSources = (tx: Tx, runId: string): Promise<SourceRow[]> => readSources(tx, runId, true);

/** The same without the locks: for the report of an apply that was stopped before it came to them, and for a look that decides nothing. */
export const seeSources = (tx: Tx, runId: string): Promise<SourceRow[]> => readSources(tx, runId, false);

/** A visit that was completed where the plan knew it has given its claims back and is where it was. */
async function readSources(tx: Tx, runId: string, isLocked: boolean): Promise<SourceRow[]> {
  return tx.sql<SourceRow[]>`
    with now as materialized (
      select a.id, a.ref, a.version, a.placement_version, a.status
      from appointments a
      where a.id = any (array(select s.appointment_id from planning_run_sources s where s.run_id = ${runId}))
      order by a.id
      ${isLocked ? tx.sql`for no key update` : tx.sql``}
    )
    select coalesce(n.ref, s.appointment_id::text) as ref, s.kind, s.expected_version as expected,
           case s.kind when 'VERSION' then n.version else n.placement_version end as found,
           coalesce(case s.kind
             when 'VERSION' then n.version = s.expected_version
             else n.placement_version = s.expected_version or (n.status = 'COMPLETED' and n.placement_version = s.expected_version + 1)
           end, false) as "isAsExpected"
    from planning_run_sources s
    left join now n on n.id = s.appointment_id
    where s.run_id = ${runId}`;
}
