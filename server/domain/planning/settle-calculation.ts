import { type Db, type Tx, withTx } from "@/db/client";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { lockPlanningScope } from "@/server/domain/clinics/set-up";
import { testPoint } from "@/server/test-points";
import { type ClaimedRun, workerOf } from "./claim-run";
import type { WhyMove } from "./may-move";
import { type PlannedPlace, placeVisit } from "./place-visit";
import { planningFactVersion } from "./snapshot/planning-fact-version";
import type { PlanningSnapshot, VisitFact } from "./snapshot/types";
import type { Solution } from "./solver/types";
import type { StayingVisit } from "./visits-that-stay";

export type Calculation = {
  snapshot: PlanningSnapshot;
  snapshotMs: number;
  solveMs: number;
  solution: Solution;
  placements: (PlannedPlace & { appointmentId: string })[];
  reasons: Map<string, WhyMove>;
  /** Visits that the plan was free to move. */
  movable: number;
  /** Those that are affected and that it left all the same. */
  stays: readonly StayingVisit[];
};

type Move = { visit: VisitFact; why: WhyMove; to: (PlannedPlace & { endsAt: string }) | null };

/**
 * Writes what was calculated: who moves and why, the rows and versions that it rests on, the fact version, and how good it is. One transaction, by fence:
 * false when another solver has the run by now, and nothing is written then.
 */
export function settleCalculation(db: Db, worker: string, run: ClaimedRun, calculation: Calculation): Promise<boolean> {
  const { snapshot, solution } = calculation;
  const version = planningFactVersion(snapshot);
  const moves = movesOf(calculation);
  const moved = moves.filter(({ to }) => to !== null);
  const sources = sourcesOf(snapshot, new Set(moved.map(({ visit }) => visit.id)));
  return withTx(db, workerOf(worker, run), async (tx) => {
    await lockPlanningScope(tx, { tenantGroupId: run.tenantGroupId, id: run.clinicId }); // before the run, as an apply does
    const rows = await tx.sql`
      update planning_runs
      set state = 'CALCULATED', lease_owner = null, lease_until = null, progress = null, calculated_at = clock_timestamp(),
          fact_version = ${version.version}, fact_groups = ${JSON.stringify(version.groups)}::jsonb, scope_fact_version = ${snapshot.facts.clinic.factVersion},
          snapshot_at = ${snapshot.facts.asOf}, snapshot_ms = ${calculation.snapshotMs}, solve_ms = ${calculation.solveMs},
          visits = ${snapshot.visits.length}, movable = ${calculation.movable}, moves = ${moved.length}, unplaced = ${moves.length - moved.length},
          stays = ${calculation.stays.length}, sources = ${sources.length}, feasible = ${solution.feasible}, proven = ${solution.proven}, proven_by = ${solution.provenBy},
          reproducible = ${solution.reproducible}, ended_by = ${solution.endedBy}, cost = ${solution.cost}, bound = ${finite(solution.bound)},
          gap = ${finite(solution.gap)}, unassigned_bound = ${solution.unassignedBound}, levels = ${JSON.stringify(solution.levels)}::jsonb,
          engine = ${JSON.stringify(solution.engine)}::jsonb, phases = ${JSON.stringify(solution.phases)}::jsonb, version = version + 1
      where id = ${run.id} and fence = ${run.fence} and state = 'CALCULATING'
      returning 1`;
    if (rows.length === 0) return false;
    await insertMoves(tx, run, moves, calculation.stays);
    await insertSources(tx, run, sources);
    await markChangedMeanwhile(tx, run);
    await testPoint("planning.beforeSettled", run);
    await appendAuditEntry(tx, workerOf(worker, run), {
      act: "planning.calculated",
      clinicId: run.clinicId,
      subjectType: "planning-run",
      subjectId: run.id,
      details: {
        run: run.ref,
        version: version.version,
        moves: moved.length,
        unplaced: moves.length - moved.length,
        stays: calculation.stays.length,
        sources: sources.length,
      },
    });
    return true;
  });
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Visits with another place than they have, in the order of the new starts; then those that found none. */
function movesOf({ snapshot, placements, reasons, solution }: Calculation): Move[] {
  const visits = new Map(snapshot.visits.map((visit) => [visit.id, visit]));
  const whyOf = (id: string) => reasons.get(id) as WhyMove;
  const placed = placements.flatMap((place): Move[] => {
    const visit = visits.get(place.appointmentId) as VisitFact;
    if (isWhereItIs(visit, place)) return [];
    const { endsAt } = placeVisit(snapshot.facts, visit, place);
    return [{ visit, why: whyOf(visit.id), to: { ...place, endsAt } }];
  });
  placed.sort((a, b) => (startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : a.visit.id < b.visit.id ? -1 : 1));
  const unplaced = solution.unassigned.map(({ id }): Move => ({ visit: visits.get(id) as VisitFact, why: whyOf(id), to: null }));
  return [...placed, ...unplaced];
}

const startOf = ({ to }: Move): string => to?.startsAt ?? "";

/** A visit that waits for a time holds nothing: the time that it had before is a new one. */
const isWhereItIs = (visit: VisitFact, place: PlannedPlace): boolean =>
  visit.status !== "PENDING_RESCHEDULE" &&
  visit.doctorId === place.doctorId &&
  Date.parse(visit.startsAt) === Date.parse(place.startsAt) &&
  visit.equipment.map(({ equipmentId }) => equipmentId).join() === place.equipmentIds.join();

type Source = { id: string; kind: "VERSION" | "PLACEMENT"; expected: string };

/**
 * Every visit that the plan was calculated around. One that is under way is left out: nobody can move it any more, and its end only gives room, so a live
 * day would make plans stale that are as good as before.
 */
const sourcesOf = ({ visits }: PlanningSnapshot, moved: ReadonlySet<string>): Source[] =>
  visits
    .filter(({ status }) => status !== "IN_PROGRESS")
    .map((visit) =>
      moved.has(visit.id)
        ? { id: visit.id, kind: "VERSION", expected: visit.version }
        : { id: visit.id, kind: "PLACEMENT", expected: visit.placementVersion },
    );

/** A patient who waits for a new time was told of the old one, if of any. */
const wasTold = ({ status, toldPlacementVersion, placementVersion }: VisitFact): boolean =>
  toldPlacementVersion !== null && (status === "PENDING_RESCHEDULE" || toldPlacementVersion === placementVersion);

async function insertMoves(
  tx: Tx,
  { id, tenantGroupId, clinicId }: ClaimedRun,
  moves: readonly Move[],
  stays: readonly StayingVisit[],
): Promise<void> {
  if (moves.length + stays.length === 0) return;
  const all = [
    ...moves.map((move) => ({ ...move, kind: move.to ? "MOVE" : "UNPLACED" })),
    ...stays.map((stay) => ({ ...stay, to: null, kind: "STAYS" })),
  ];
  const rows = all.map(({ visit, why, to, kind }, i) => ({
    run_id: id,
    position: i + 1,
    tenant_group_id: tenantGroupId,
    clinic_id: clinicId,
    appointment_id: visit.id,
    appointment_ref: visit.ref,
    kind,
    status: visit.status,
    from_doctor_id: visit.doctorId,
    from_starts_at: visit.startsAt,
    from_ends_at: visit.endsAt,
    from_equipment_ids: visit.equipment.map(({ equipmentId }) => equipmentId),
    to_doctor_id: to?.doctorId ?? null,
    to_starts_at: to?.startsAt ?? null,
    to_ends_at: to?.endsAt ?? null,
    to_equipment_ids: to?.equipmentIds ?? null,
    why_code: why.code,
    why_subject_ref: why.subjectRef,
    why_from: why.from,
    why_until: why.until,
    was_told: wasTold(visit),
  }));
  await tx.sql`
    insert into planning_run_moves
    select * from jsonb_populate_recordset(null::planning_run_moves, ${JSON.stringify(rows)}::jsonb)`;
}

async function insertSources(tx: Tx, { id, tenantGroupId, clinicId }: ClaimedRun, sources: Source[]): Promise<void> {
  await tx.sql`
    insert into planning_run_sources (run_id, appointment_id, tenant_group_id, clinic_id, kind, expected_version)
    select ${id}, s.id, ${tenantGroupId}, ${clinicId}, s.kind, s.expected
    from unnest(${sources.map((source) => source.id)}::uuid[], ${sources.map(({ kind }) => kind)}::text[],
      ${sources.map(({ expected }) => expected)}::int8[]) as s (id, kind, expected)`;
}

/**
 * Facts that changed between the snapshot and now: their events may have come by while there was no plan to mark. The planning scope is held, so an event
 * of any later one finds the plan calculated. By the same margins as planning-trigger.ts; advisory, as everything there.
 */
async function markChangedMeanwhile(tx: Tx, { id, clinicId }: ClaimedRun): Promise<void> {
  await tx.sql`
    update planning_runs r
    set probably_stale_at = clock_timestamp(), probably_stale_facts = changed.facts
    from (
      select array_agg(distinct case f.fact_table
          when 'absences' then 'ABSENCE' when 'closures' then 'CLOSURE' when 'resource_outages' then 'OUTAGE' when 'breaks' then 'BREAK'
          when 'clinic_hours' then 'HOURS' when 'doctor_hours' then 'HOURS' else upper(f.fact_table) end) as facts
      from fact_changes f
      join planning_runs mine on mine.id = ${id}
      where f.clinic_id = ${clinicId} and f.fact_version > mine.scope_fact_version
        and (f.during is null or f.during && tstzrange((mine.from_date - 1)::timestamp at time zone 'UTC', (mine.until_date + 2)::timestamp at time zone 'UTC'))
    ) changed
    where r.id = ${id} and changed.facts is not null`;
}
