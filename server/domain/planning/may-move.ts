import { findOpenings } from "@/server/domain/clinics/availability";
import { usageOf } from "@/server/domain/clinics/choose-equipment";
import { clinicTime } from "@/server/domain/clinics/clinic-time";
import { explainRefusal } from "@/server/domain/clinics/explain-refusal";
import { minuteMs, toIso } from "@/server/domain/clinics/local-time";
import { overlaps } from "@/server/domain/clinics/spans";
import { subjectOf } from "@/server/domain/clinics/subject";
import type { BlockerCode, ClinicFacts } from "@/server/domain/clinics/types";
import type { PlanningSnapshot, VisitFact } from "./snapshot/types";

/** Why a visit may move: its state, a person's choice, or what stands in the way of the place that it has. */
export type WhyMove = {
  code: "REQUESTED" | "PENDING_RESCHEDULE" | "CHOSEN" | BlockerCode;
  subjectRef: string | null;
  from: string | null;
  until: string | null;
};

/** What is no broken fact: the visit stands where it could not be booked now, and may stay there all the same. */
const harmless: readonly BlockerCode[] = ["IN_THE_PAST", "OFF_GRID", "PATIENT_TAKEN", "PATIENT_UNKNOWN"];

/**
 * The visits that a plan may move, each with the reason: REQUESTED and PENDING_RESCHEDULE ones, and CONFIRMED ones that break a fact or were chosen.
 * Everything else stays: what is pinned, has begun, was put there by staff over a named clash, or is to be kept in this run.
 */
export function mayMove(snapshot: PlanningSnapshot, chosenIds: readonly string[], keptIds: readonly string[]): Map<string, WhyMove> {
  const [chosen, kept] = [new Set(chosenIds), new Set(keptIds)];
  const now = Date.parse(snapshot.facts.asOf);
  const reasons = new Map<string, WhyMove>();
  for (const visit of snapshot.visits) {
    const why = visit.pinned || kept.has(visit.id) ? null : whyItMayMove(snapshot.facts, visit, chosen.has(visit.id), now);
    if (why) reasons.set(visit.id, why);
  }
  return reasons;
}

function whyItMayMove(facts: ClinicFacts, visit: VisitFact, isChosen: boolean, now: number): WhyMove | null {
  const plain = (code: WhyMove["code"]): WhyMove => ({ code, subjectRef: null, from: null, until: null });
  switch (visit.status) {
    case "PENDING_RESCHEDULE":
      return plain("PENDING_RESCHEDULE");
    case "CHECKED_IN":
    case "IN_PROGRESS":
      return null;
    default: {
      if (Date.parse(visit.startsAt) < now) return null; // whoever did not come in time is the desk's to say
      const broken = visit.overridden ? null : brokenFact(facts, visit);
      if (broken) return broken;
      if (visit.status === "REQUESTED") return plain("REQUESTED");
      return isChosen ? plain("CHOSEN") : null;
    }
  }
}

/** The first fact that does not let the visit be where it is; null: it stands well. */
export function brokenFact(facts: ClinicFacts, visit: VisitFact): WhyMove | null {
  const wish = { treatmentId: visit.treatmentId, doctorId: visit.doctorId, ignoreAppointmentId: visit.id };
  const startsAt = Date.parse(visit.startsAt);
  const subject = subjectOf(facts, wish);
  if (subject && findOpenings(facts, subject, [startsAt]).length > 0) return ownDeviceOut(facts, visit);
  const blocker = explainRefusal(facts, { ...wish, startsAt }, subject).find(({ code }) => !harmless.includes(code));
  if (!blocker) return null;
  return { code: blocker.code, subjectRef: blocker.subject.ref, from: blocker.from, until: blocker.until };
}

/** Another device may be free while the one that the visit holds is out. */
function ownDeviceOut(facts: ClinicFacts, visit: VisitFact): WhyMove | null {
  const treatment = facts.treatments.find(({ id }) => id === visit.treatmentId);
  const time = clinicTime(facts);
  for (const { equipmentId, needPosition } of visit.equipment) {
    const need = treatment?.needs.find(({ position }) => position === needPosition);
    const device = facts.equipment.find(({ id }) => id === equipmentId);
    if (!treatment || !need || !device) continue;
    const usage = usageOf(need, { durationMs: treatment.durationMinutes * minuteMs }, Date.parse(visit.startsAt));
    const full = time.profileOf({ id: device.resourceId, seats: device.resourceSeats }, visit.id).full(null);
    if (!full.some((span) => overlaps(span, usage))) continue;
    const outage = time.outagesOf(device.resourceId).find((span) => overlaps(span, usage));
    if (outage) return { code: "EQUIPMENT_OUT", subjectRef: device.ref, from: toIso(outage.from), until: toIso(outage.until) };
  }
  return null;
}
