import { usageOf } from "@/server/domain/clinics/choose-equipment";
import { doctorClaimSeats } from "@/server/domain/clinics/clinic-time";
import { localAt, minuteMs, toIso } from "@/server/domain/clinics/local-time";
import type { ClinicFacts, Placement } from "@/server/domain/clinics/types";

/** A place that a plan gives: the devices in the order of the treatment's needs. */
export type PlannedPlace = {
  doctorId: string;
  startsAt: string;
  equipmentIds: string[];
};

/**
 * Every row that a visit writes at a place: doctor with buffers, devices and rooms for their time, the patient, and the clinic when it has a limit. Whether
 * the place is free is not asked here: the plan was checked when it was calculated, and the database looks again when the claims are written.
 * Throws for a doctor, treatment or device that the facts do not know: facts of the plan's own version have them all.
 */
export function placeVisit(facts: ClinicFacts, visit: { treatmentId: string; patientResourceId: string }, place: PlannedPlace): Placement {
  const doctor = known(facts.doctors, place.doctorId);
  const treatment = known(facts.treatments, visit.treatmentId);
  const start = Date.parse(place.startsAt);
  const durationMs = treatment.durationMinutes * minuteMs;
  const end = start + durationMs;
  const used = treatment.needs.map((need, i) => ({
    device: known(facts.equipment, place.equipmentIds[i] ?? ""),
    ...usageOf(need, { durationMs }, start),
  }));
  const claim = (resourceId: string, from: number, until: number, seats: number | null = null) => ({
    resourceId,
    fromIso: toIso(from),
    untilIso: toIso(until),
    seats,
  });
  const { date, local, utcOffsetSeconds } = localAt(facts.clinic.zone, start);
  return {
    doctorId: doctor.id,
    startsAt: toIso(start),
    endsAt: toIso(end),
    localDate: date,
    localStart: local,
    utcOffsetSeconds,
    equipment: used.map(({ device, from, until }) => ({ equipmentId: device.id, during: `[${toIso(from)},${toIso(until)})` })),
    claims: [
      claim(
        doctor.resourceId,
        start - treatment.bufferBeforeMinutes * minuteMs,
        end + treatment.bufferAfterMinutes * minuteMs,
        doctorClaimSeats(facts, treatment, doctor),
      ),
      ...used.map(({ device, from, until }) => claim(device.resourceId, from, until)),
      claim(visit.patientResourceId, start, end),
      ...(facts.clinic.resource ? [claim(facts.clinic.resource.id, start, end)] : []),
    ],
  };
}

function known<T extends { id: string }>(rows: readonly T[], id: string): T {
  const row = rows.find((one) => one.id === id);
  if (!row) throw new Error("a place of a plan names what its facts do not know");
  return row;
}
