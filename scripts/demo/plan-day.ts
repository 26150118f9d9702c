import { Temporal } from "temporal-polyfill";
import type { Tx } from "@/db/client";
import type { Random } from "@/scripts/demo/random";
import { loadClinicFacts } from "@/server/domain/clinics/load-facts";
import { dayBounds, minuteMs } from "@/server/domain/clinics/local-time";
import { placementFor } from "@/server/domain/clinics/placement-for";
import type { ClinicKey } from "@/server/domain/clinics/set-up";
import { slotsWithin } from "@/server/domain/clinics/slots-within";
import type { ClaimFact, ClinicFacts, Placement } from "@/server/domain/clinics/types";

export type PlannedVisit = { treatmentId: string; placement: Placement };

const HOUR_MS = 60 * minuteMs;

/**
 * Fills a clinic's day with visits that the availability function accepts, doctor by doctor, in the order of their starts.
 * @param fullness part of the free time that is taken, 0 to 1
 */
export async function planDay(tx: Tx, clinic: ClinicKey, date: string, fullness: number, random: Random): Promise<PlannedVisit[]> {
  const day = dayBounds(clinic.zone, date);
  const scope = { tenantGroupId: clinic.tenantGroupId, clinicIds: [clinic.id] };
  const facts = await loadClinicFacts(tx, scope, { clinicId: clinic.id, from: day.from - 24 * HOUR_MS, until: day.until + 24 * HOUR_MS });
  if (!facts) throw new Error(`clinic ${clinic.id} is not there`);
  const visits: PlannedVisit[] = [];
  const claims: ClaimFact[] = [...facts.claims];
  for (const doctor of facts.doctors) {
    let free = day.from;
    for (const start of startsOf({ ...facts, claims }, doctor.id, day)) {
      if (start < free) continue;
      if (!random.chance(fullness)) {
        free = start + facts.clinic.gridMinutes * minuteMs;
        continue;
      }
      const visit = placeOne({ ...facts, claims }, doctor.id, start, random);
      if (!visit) continue;
      visits.push(visit);
      claims.push(...visit.placement.claims.map(asFact));
      free = Date.parse(visit.placement.endsAt);
    }
  }
  return visits.sort((a, b) => a.placement.startsAt.localeCompare(b.placement.startsAt));
}

/** Starts at which the shortest of the doctor's treatments would fit. */
function startsOf(facts: ClinicFacts, doctorId: string, day: { from: number; until: number }): number[] {
  const [shortest] = treatmentsOf(facts, doctorId).sort((a, b) => a.durationMinutes - b.durationMinutes);
  if (!shortest) return [];
  return slotsWithin(facts, { treatmentId: shortest.id, doctorId, now: LONG_AGO }, day).map((slot) => Date.parse(slot.startsAt));
}

function placeOne(facts: ClinicFacts, doctorId: string, startsAt: number, random: Random): PlannedVisit | undefined {
  const treatmentId = random.pick(treatmentsOf(facts, doctorId)).id;
  const result = placementFor(facts, { treatmentId, doctorId, startsAt, now: LONG_AGO });
  return result.ok ? { treatmentId, placement: result.placement } : undefined;
}

/** A group treatment fills one start with several visits; the demo books those by hand. */
const treatmentsOf = (facts: ClinicFacts, doctorId: string) => {
  const doctor = facts.doctors.find(({ id }) => id === doctorId);
  return facts.treatments.filter(
    ({ seats, providerType }) => seats === null && (providerType === null || providerType === doctor?.providerType),
  );
};

const LONG_AGO = Temporal.Instant.fromEpochMilliseconds(0);

const asFact = (claim: Placement["claims"][number]): ClaimFact => ({
  resourceId: claim.resourceId,
  from: Date.parse(claim.fromIso),
  until: Date.parse(claim.untilIso),
  seats: claim.seats,
  overridden: false,
  appointmentId: null,
  appointmentRef: null,
});
