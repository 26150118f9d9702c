import { findOpenings } from "@/server/domain/clinics/availability";
import { minuteMs } from "@/server/domain/clinics/local-time";
import { subjectOf } from "@/server/domain/clinics/subject";
import type { ClinicFacts } from "@/server/domain/clinics/types";
import { isWithinFacts, type MoveTimes, readingOf } from "./problem-from-snapshot-starts";
import type { VisitFact } from "./snapshot/types";
import type { Place, ProblemTreatment, ProblemVisit } from "./solver/types";

type LaidOut = { times: MoveTimes; treatmentIds: string[]; treatments: ProblemTreatment[]; patientIds: string[] };

/** A visit imported or written before its treatment changed: staying, it would hold on to what no plan counts. */
export function hasOwnLength(facts: ClinicFacts, { treatmentId, startsAt, endsAt }: VisitFact): boolean {
  const treatment = facts.treatments.find(({ id }) => id === treatmentId);
  return Date.parse(endsAt) - Date.parse(startsAt) !== (treatment?.durationMinutes ?? 0) * minuteMs;
}

export function layOutVisit(facts: ClinicFacts, visit: VisitFact, { times, treatmentIds, treatments, patientIds }: LaidOut): ProblemVisit {
  const treatment = treatmentIds.indexOf(visit.treatmentId);
  const at = Date.parse(visit.startsAt);
  return {
    id: visit.id,
    treatment,
    patient: patientIds.indexOf(visit.patientResourceId),
    told: wasTold(visit),
    priority: 1,
    known: {
      doctor: facts.doctors.findIndex(({ id }) => id === visit.doctorId),
      at: (at - times.originMs) / minuteMs,
      ...readingOf(facts, times.dates[0] as string, at),
    },
    stay: placeNow(facts, visit, times, treatments[treatment]),
    wish: null,
  };
}

/** Who waits for a new time was told of the old one, if of any. */
const wasTold = ({ status, toldPlacementVersion, placementVersion }: VisitFact): boolean =>
  toldPlacementVersion !== null && (status === "PENDING_RESCHEDULE" || toldPlacementVersion === placementVersion);

/** A visit may stay off the grid, which it was not booked on or which changed; it may not go there. Who waits holds no place to stay at. */
function placeNow(facts: ClinicFacts, visit: VisitFact, times: MoveTimes, treatment?: ProblemTreatment): Place | null {
  const start = times.instants.indexOf(Date.parse(visit.startsAt));
  const at = times.instants[start];
  const subject = subjectOf(facts, { treatmentId: visit.treatmentId, doctorId: visit.doctorId });
  if (visit.status === "PENDING_RESCHEDULE" || !treatment || !subject || at === undefined || !isWithinFacts(facts, subject, at))
    return null;
  if (findOpenings(facts, subject, [at]).length === 0) return null;
  const devices = visit.equipment.map(({ equipmentId }) => facts.equipment.findIndex(({ id }) => id === equipmentId)).join();
  const option = treatment.options.findIndex((uses) => uses.map(({ equipment }) => equipment).join() === devices);
  return { doctor: facts.doctors.findIndex(({ id }) => id === visit.doctorId), start, option: Math.max(0, option) };
}
