import type { Tx } from "@/db/client";
import { doctorClaimSeats } from "@/server/domain/clinics/clinic-time";
import { loadClinicFacts } from "@/server/domain/clinics/load-facts";
import type { ClinicFacts, Placement } from "@/server/domain/clinics/types";
import type { Actor } from "@/server/domain/scope/actor";
import { type LockedVisit, standingOf } from "./lock-visit";

const minuteMs = 60_000;
const dayMs = 86_400_000;

/**
 * What a visit takes again when the change that gave its place back was a wrong click: doctor with buffers, devices and rooms for their time, the
 * patient, and the clinic when it has a limit. Hours and closures are not asked: the visit was there. One statement.
 */
export async function retakeClaims(tx: Tx, actor: Actor, visit: LockedVisit): Promise<{ claims: Placement["claims"]; facts: ClinicFacts }> {
  const { startsAt, endsAt, doctorId } = standingOf(visit);
  const [from, until] = [Date.parse(startsAt), Date.parse(endsAt)];
  const { treatment_id: treatmentId, patient_id: patientId, clinic_id: clinicId } = visit;
  const range = { from: from - dayMs, until: until + dayMs };
  const facts = await loadClinicFacts(tx, actor, { clinicId, treatmentId, doctorId, patientId, ...range });
  const doctor = facts?.doctors.find(({ id }) => id === doctorId);
  const treatment = facts?.treatments.find(({ id }) => id === treatmentId);
  if (!facts || !doctor || !treatment || !facts.patient) throw new Error("a visit without its clinic, doctor, treatment or patient");
  const iso = (ms: number) => new Date(ms).toISOString();
  const whole = { fromIso: startsAt, untilIso: endsAt, seats: null };
  const claims = [
    {
      resourceId: doctor.resourceId,
      fromIso: iso(from - treatment.bufferBeforeMinutes * minuteMs),
      untilIso: iso(until + treatment.bufferAfterMinutes * minuteMs),
      seats: doctorClaimSeats(facts, treatment, doctor),
    },
    ...visit.used.map((use) => ({
      resourceId: facts.equipment.find(({ id }) => id === use.equipmentId)?.resourceId ?? "",
      fromIso: use.from,
      untilIso: use.until,
      seats: null,
    })),
    { resourceId: facts.patient.resourceId, ...whole },
    ...(facts.clinic.resource ? [{ resourceId: facts.clinic.resource.id, ...whole }] : []),
  ];
  return { claims, facts };
}
