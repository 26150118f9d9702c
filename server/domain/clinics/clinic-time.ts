// The facts of one read, laid out once and asked many times: by a slot list for every start, by the solver for every move.
import { LoadProfile } from "./load-profile";
import type { Span } from "./local-time";
import { clinicObstacles, doctorObstacles, type Obstacle, openingIntervals, shiftsOf } from "./open-time";
import { intersectSpans, mergeSpans, subtractSpans } from "./spans";
import type { ClaimFact, ClinicFacts, DoctorFact, OutageFact, TreatmentFact } from "./types";

export class ClinicTime {
  /** Sorted, not merged: each starts a grid of its own. */
  readonly opening: Span[];
  readonly open: Span[];
  readonly obstacles: Obstacle[];
  private readonly openAndClear: Span[];
  private readonly claims = new Map<string, ClaimFact[]>();
  private readonly outages = new Map<string, OutageFact[]>();
  private readonly ofDoctor = new Map<string, { shifts: Span[]; obstacles: Obstacle[]; free: Span[] }>();
  private readonly profiles = new Map<string, LoadProfile>();

  constructor(readonly facts: ClinicFacts) {
    this.opening = openingIntervals(facts);
    this.open = mergeSpans(this.opening);
    this.obstacles = clinicObstacles(facts);
    this.openAndClear = subtractSpans(this.open, this.obstacles);
    for (const claim of facts.claims) add(this.claims, claim.resourceId, claim);
    for (const claims of this.claims.values()) claims.sort((a, b) => a.from - b.from);
    for (const outage of facts.outages) add(this.outages, outage.resourceId, outage);
  }

  /** Shifts (merged), absences and breaks of a doctor, and what is left of the clinic's open time: hours ∩ shifts − obstacles. */
  timeOf(doctor: DoctorFact) {
    let time = this.ofDoctor.get(doctor.id);
    if (!time) {
      const shifts = mergeSpans(shiftsOf(this.facts, doctor));
      const obstacles = doctorObstacles(this.facts, doctor.id);
      time = { shifts, obstacles, free: subtractSpans(intersectSpans(this.openAndClear, shifts), obstacles) };
      this.ofDoctor.set(doctor.id, time);
    }
    return time;
  }

  /** Without the claims of `ignoreAppointmentId`: a visit never blocks its own move. */
  profileOf(resource: { id: string; seats: number }, ignoreAppointmentId?: string): LoadProfile {
    const claims = this.claimsOf(resource.id);
    const isHeldByIt = ignoreAppointmentId !== undefined && claims.some((claim) => claim.appointmentId === ignoreAppointmentId);
    const key = isHeldByIt ? `${resource.id} ${ignoreAppointmentId}` : resource.id;
    let profile = this.profiles.get(key);
    if (!profile) {
      const counted = isHeldByIt ? claims.filter((claim) => claim.appointmentId !== ignoreAppointmentId) : claims;
      profile = new LoadProfile(resource.seats, counted, this.outagesOf(resource.id));
      this.profiles.set(key, profile);
    }
    return profile;
  }

  /** By start. */
  claimsOf(resourceId: string): ClaimFact[] {
    return this.claims.get(resourceId) ?? [];
  }

  outagesOf(resourceId: string): OutageFact[] {
    return this.outages.get(resourceId) ?? [];
  }

  /** Visits of a doctor that begin in a span (its claims do): what "fewest visits that day" counts. */
  visitsBeginning(resourceId: string, within: Span, ignoreAppointmentId?: string): number {
    const claims = this.claimsOf(resourceId);
    let low = 0;
    for (let high = claims.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((claims[middle] as ClaimFact).from < within.from) low = middle + 1;
      else high = middle;
    }
    let count = 0;
    for (; low < claims.length && (claims[low] as ClaimFact).from < within.until; low += 1)
      if (ignoreAppointmentId === undefined || (claims[low] as ClaimFact).appointmentId !== ignoreAppointmentId) count += 1;
    return count;
  }
}

/**
 * The seats that a claim on a doctor carries: the treatment's limit, else the doctor's, else the clinic's default. Null when that is what the resource
 * says anyway; a doctor of two clinics may have another limit here.
 */
export function doctorClaimSeats(facts: ClinicFacts, treatment: TreatmentFact, doctor: DoctorFact): number | null {
  const limit = doctor.seats ?? facts.clinic.defaultDoctorSeats;
  return treatment.seats ?? (limit === doctor.resourceSeats ? null : limit);
}

const timeOfFacts = new WeakMap<ClinicFacts, ClinicTime>();

/** The facts laid out; kept as long as the facts object, which nobody changes. */
export function clinicTime(facts: ClinicFacts): ClinicTime {
  let time = timeOfFacts.get(facts);
  if (!time) {
    time = new ClinicTime(facts);
    timeOfFacts.set(facts, time);
  }
  return time;
}

function add<T>(groups: Map<string, T[]>, key: string, item: T) {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}
