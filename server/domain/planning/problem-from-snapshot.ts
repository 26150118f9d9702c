// From a clinic's facts and visits to a problem without either, and back. Where a visit could be is asked of the availability function that slots and
// commands ask, with the visits that may move out of the way; the engines add only what these do to each other.
import { minuteMs, toIso } from "@/server/domain/clinics/local-time";
import { subjectOf } from "@/server/domain/clinics/subject";
import type { ClinicFacts } from "@/server/domain/clinics/types";
import { brokenFact } from "./may-move";
import type { PlannedPlace } from "./place-visit";
import { isWithinFacts, layOutTreatment, type MoveTimes, timesOf } from "./problem-from-snapshot-starts";
import { hasOwnLength, layOutVisit } from "./problem-from-snapshot-visits";
import type { PlanningSnapshot, VisitFact } from "./snapshot/types";
import type { Plan, Problem, ProblemDoctor, ProblemEquipment, Span } from "./solver/types";

/** With the moment that its minutes are counted from: elapsed time, so a day on which the clocks change is planned as it passes. */
export type ClinicProblem = Problem & { originMs: number };

/**
 * The problem of placing the movable visits beside everything else. Visits that began before the facts were read stay, those in `pinnedIds`, and those
 * that hold another length than their treatment's. A visit that stays and breaks a fact where it is is reported.
 */
export function problemFromSnapshot(
  snapshot: PlanningSnapshot,
  movableIds: readonly string[],
  pinnedIds: readonly string[] = [],
): ClinicProblem {
  const { facts, weights } = snapshot;
  const { movable, staying } = divide(snapshot, new Set(movableIds), new Set(pinnedIds));
  const fixed = withoutClaimsOf(facts, movable);
  const times = timesOf(fixed, movable, snapshot.range);
  const treatmentIds = [...new Set(movable.map(({ treatmentId }) => treatmentId))].sort();
  const treatments = treatmentIds.map((id) => layOutTreatment(fixed, id, times));
  const patientIds = [...new Set(movable.map(({ patientResourceId }) => patientResourceId))];
  return {
    originMs: times.originMs,
    days: times.dates.length,
    starts: times.starts,
    treatments,
    ...resourcesOf(fixed, staying, times),
    patients: patientIds.map((resourceId) => ({ taken: takenOf(fixed, resourceId, times) })),
    visits: movable.map((visit) => layOutVisit(fixed, visit, { times, treatmentIds, treatments, patientIds })),
    weights,
    pinnedViolations: brokenOnes(facts, staying),
  };
}

/** Where the plan puts each visit, as the booking writes it; visits without a place are left out. */
export function placementsOf(problem: ClinicProblem, plan: Plan): (PlannedPlace & { appointmentId: string })[] {
  return problem.visits.flatMap(({ id, treatment }, index) => {
    const place = plan[index];
    const start = place && problem.starts[place.start];
    const doctor = place && problem.doctors[place.doctor];
    const uses = place && problem.treatments[treatment]?.options[place.option];
    if (!start || !doctor || !uses) return [];
    return [
      {
        appointmentId: id,
        doctorId: doctor.id,
        startsAt: toIso(problem.originMs + start.at * minuteMs),
        equipmentIds: uses.map(({ equipment }) => problem.equipment[equipment]?.id ?? ""),
      },
    ];
  });
}

/** Ordered by id, so that the same facts make the same problem however they were read. */
function divide({ facts, visits }: PlanningSnapshot, wanted: Set<string>, pinned: Set<string>) {
  const now = Date.parse(facts.asOf);
  const mayMove = (visit: VisitFact) =>
    wanted.has(visit.id) &&
    !pinned.has(visit.id) &&
    (visit.status === "PENDING_RESCHEDULE" || (Date.parse(visit.startsAt) >= now && !hasOwnLength(facts, visit)));
  const movable = visits.filter(mayMove).sort((a, b) => (a.id < b.id ? -1 : 1));
  // who waits for a new time holds nothing
  return { movable, staying: visits.filter((visit) => !mayMove(visit) && visit.status !== "PENDING_RESCHEDULE") };
}

/** What staff overrode stands outside of every count. */
function withoutClaimsOf(facts: ClinicFacts, movable: VisitFact[]): ClinicFacts {
  const moved = new Set(movable.map(({ id }) => id));
  const claims = facts.claims.filter(({ appointmentId, overridden }) => !overridden && !moved.has(appointmentId ?? ""));
  return { ...facts, claims, patient: null };
}

const inMinutes = (originMs: number, { from, until }: Span): Span => ({
  from: (from - originMs) / minuteMs,
  until: (until - originMs) / minuteMs,
});

const takenOf = ({ claims }: ClinicFacts, resourceId: string, { originMs }: MoveTimes): Span[] =>
  claims.filter((claim) => claim.resourceId === resourceId).map((claim) => inMinutes(originMs, claim));

function resourcesOf(facts: ClinicFacts, staying: VisitFact[], times: MoveTimes): Pick<Problem, "doctors" | "equipment" | "clinic"> {
  const { claims, clinic, outages } = facts;
  const { originMs, dates } = times;
  const visitsOn = (doctorId: string, date: string) =>
    staying.filter((visit) => visit.doctorId === doctorId && visit.localDate === date).length;
  return {
    doctors: facts.doctors.map(({ id, resourceId, resourceSeats }): ProblemDoctor => {
      const own = claims.filter((claim) => claim.resourceId === resourceId);
      const taken = own.map((claim) => ({ ...inMinutes(originMs, claim), limit: claim.seats ?? resourceSeats }));
      return { id, taken, visitsByDay: dates.map((date) => visitsOn(id, date)) };
    }),
    equipment: facts.equipment.map(({ id, resourceId, resourceSeats }): ProblemEquipment => {
      const out = outages.filter((outage) => outage.resourceId === resourceId);
      return {
        id,
        units: resourceSeats,
        out: out.map((outage) => ({ ...inMinutes(originMs, outage), units: outage.units })),
        taken: takenOf(facts, resourceId, times),
      };
    }),
    clinic: { limit: clinic.resource?.seats ?? null, taken: clinic.resource ? takenOf(facts, clinic.resource.id, times) : [] },
  };
}

function brokenOnes(facts: ClinicFacts, staying: VisitFact[]): string[] {
  const isAhead = ({ startsAt }: VisitFact) => Date.parse(startsAt) >= Date.parse(facts.asOf);
  const isKnown = ({ treatmentId, doctorId, startsAt }: VisitFact) => {
    const subject = subjectOf(facts, { treatmentId, doctorId });
    return !subject || isWithinFacts(facts, subject, Date.parse(startsAt));
  };
  const isBroken = (visit: VisitFact) => !visit.overridden && isAhead(visit) && isKnown(visit) && brokenFact(facts, visit) !== null;
  return staying.filter(isBroken).map(({ id }) => id);
}
