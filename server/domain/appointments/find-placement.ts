import type { Tx } from "@/db/client";
import { databaseError } from "@/db/tx-error";
import { AppError } from "@/server/app-error";
import { loadClinicFacts } from "@/server/domain/clinics/load-facts";
import { placementFor } from "@/server/domain/clinics/placement-for";
import type { Blocker, BlockerCode, ClinicFacts, Placement } from "@/server/domain/clinics/types";
import { factsSpanOf, parseWishedStart } from "@/server/domain/clinics/wished-start";
import { MetRival } from "@/server/domain/idempotency/run-command";
import type { Actor } from "@/server/domain/scope/actor";

export type PlacementWish = {
  clinicId: string;
  treatmentId: string;
  /** A doctor, or "any" of those who can take it. */
  doctorId: string;
  patientId: string;
  /** An instant with its offset, or a wall clock of the clinic. */
  startsAt: string;
  /** The visit that is being moved: what it holds itself does not stand in its way. */
  ignoreAppointmentId?: string;
};

/**
 * Where the visit would be, by the function that also lists the slots. One statement. Call it after lockScope: the facts are then the latest, and
 * stay so until this transaction ends. Throws AppError slot-taken, not-available or subject-invalid, with the blockers by name.
 */
export async function findPlacement(tx: Tx, actor: Actor, wish: PlacementWish): Promise<{ placement: Placement; facts: ClinicFacts }> {
  const span = factsSpanOf(wish.startsAt);
  if (!span) throw new AppError("request-invalid", "startsAt is no date and time.");
  const { clinicId, treatmentId, patientId } = wish;
  const doctorId = wish.doctorId === "any" ? undefined : wish.doctorId;
  const facts = await loadClinicFacts(tx, actor, { clinicId, treatmentId, doctorId, patientId, ...span });
  if (!facts) throw new AppError("not-found");
  const result = placementFor(facts, { ...wish, startsAt: startOrRefuse(facts.clinic.zone, wish.startsAt) });
  if (!result.ok) throw refusalOf(result.blockers);
  return { placement: result.placement, facts };
}

/** A time that the clinic's clock shows twice, or never, is refused, not guessed. */
function startOrRefuse(zone: string, startsAt: string): number {
  const start = parseWishedStart(zone, startsAt);
  if (start.ok) return start.at;
  switch (start.code) {
    case "AMBIGUOUS":
      throw new AppError("start-ambiguous", undefined, { choices: start.choices.map((choice) => `${startsAt}:00${choice.utcOffset}`) });
    case "NONEXISTENT":
      throw new AppError("start-nonexistent", `The clinic's clock in ${zone} is put forward over ${startsAt.slice(11)} that day.`);
    default:
      throw new AppError("request-invalid", "startsAt is no date and time.");
  }
}

const unknown: readonly BlockerCode[] = ["DOCTOR_UNKNOWN", "TREATMENT_UNKNOWN", "PATIENT_UNKNOWN"];
const taken: readonly BlockerCode[] = ["DOCTOR_TAKEN", "EQUIPMENT_TAKEN", "CLINIC_FULL", "PATIENT_TAKEN"];

/** Blockers as one refusal: an identity that is no good, a time that another visit holds, or a time at which nobody could. */
function refusalOf(blockers: Blocker[]): AppError {
  const strange = blockers.find(({ code }) => unknown.includes(code));
  if (strange) return new AppError("subject-invalid", unknownDetail[strange.code], { blockers: blockers.map(({ code }) => ({ code })) });
  const own = blockers.find(({ code }) => code === "PATIENT_TAKEN");
  const code = blockers.every((blocker) => taken.includes(blocker.code)) ? "slot-taken" : "not-available";
  return new AppError(code, own ? ownVisit(own) : undefined, { blockers });
}

const unknownDetail: Partial<Record<BlockerCode, string>> = {
  DOCTOR_UNKNOWN: "The clinic has no such doctor.",
  TREATMENT_UNKNOWN: "The clinic has no such treatment.",
  PATIENT_UNKNOWN: "There is no such patient.",
};

/** Someone who books twice is told of the own visit, not of a stranger's. */
const ownVisit = ({ appointmentRef, from }: Blocker): string =>
  appointmentRef
    ? `The patient already has visit ${appointmentRef} at ${from}.`
    : `The patient already has a visit at ${from}, in another clinic.`;

/**
 * The trigger on resource_claims refused: a rival was faster than our facts. Passes other errors on.
 * Throws MetRival, so that the work is decided again from facts that show the rival.
 */
export function rivalOrRethrow(error: unknown, facts: ClinicFacts, placement: Placement): never {
  const found = databaseError(error);
  if (found?.constraint !== "claims_within_seats") throw error;
  throw new MetRival(new AppError("slot-taken", undefined, { blockers: [blockerOf(found.detail, facts, placement)] }));
}

/** The same for a visit that takes back what it had: nothing is to be decided anew, the refusal stands. */
export function takenOrRethrow(error: unknown, facts: ClinicFacts, visit: Span): never {
  const found = databaseError(error);
  if (found?.constraint !== "claims_within_seats") throw error;
  throw new AppError("slot-taken", "Its place has been given to another visit meanwhile.", {
    blockers: [blockerOf(found.detail, facts, visit)],
  });
}

type Span = { startsAt: string; endsAt: string };

function blockerOf(resourceId: string | undefined, facts: ClinicFacts, visit: Span): Blocker {
  const [from, until] = [Date.parse(visit.startsAt), Date.parse(visit.endsAt)];
  const holder = facts.claims.find((claim) => claim.resourceId === resourceId && claim.from < until && from < claim.until);
  const span = { label: null, from: visit.startsAt, until: visit.endsAt, appointmentRef: holder?.appointmentRef ?? null };
  const doctor = facts.doctors.find((one) => one.resourceId === resourceId);
  if (doctor) return { code: "DOCTOR_TAKEN", subject: { kind: "DOCTOR", ref: doctor.ref, name: doctor.name }, ...span };
  const device = facts.equipment.find((one) => one.resourceId === resourceId);
  if (device) return { code: "EQUIPMENT_TAKEN", subject: { kind: "EQUIPMENT", ref: device.ref, name: device.name }, ...span };
  if (facts.patient?.resourceId === resourceId)
    return { code: "PATIENT_TAKEN", subject: { kind: "PATIENT", ref: facts.patient?.ref ?? "", name: null }, ...span };
  return { code: "CLINIC_FULL", subject: { kind: "CLINIC", ref: facts.clinic.ref, name: facts.clinic.name }, ...span };
}
