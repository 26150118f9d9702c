import type { Temporal } from "temporal-polyfill";
import { minuteMs } from "./local-time";
import type { ClinicFacts, DoctorFact, PatientFact, TreatmentFact } from "./types";

export type Wish = {
  treatmentId: string;
  /** Left out, null or "any": any doctor. Of several that can, the one with the fewest visits that day, then by reference. */
  doctorId?: string | null;
  /** The patient that the facts were read for. Left out: a slot list before a patient is chosen. */
  patientId?: string | null;
  /** The visit that moves. */
  ignoreAppointmentId?: string;
  /** Starts before it are past, compared as instants. Left out: the database's clock when the facts were read. */
  now?: Temporal.Instant;
};

/** A wish with its rows: what both the sweep and the explanation work on. Times in milliseconds. */
export type Subject = {
  treatment: TreatmentFact;
  doctors: DoctorFact[];
  patient: PatientFact | null;
  ignore: string | undefined;
  durationMs: number;
  beforeMs: number;
  afterMs: number;
};

export const nowOf = (facts: ClinicFacts, wish: Wish): number => wish.now?.epochMilliseconds ?? Date.parse(facts.asOf);

/** The doctor that is asked for; undefined for "any". */
export const namedDoctor = ({ doctorId }: Wish): string | undefined => (doctorId && doctorId !== "any" ? doctorId : undefined);

/** Undefined when the treatment, the doctor or the patient is not there (or not active). */
export function subjectOf(facts: ClinicFacts, wish: Wish): Subject | undefined {
  const treatment = facts.treatments.find(({ id, active }) => active && id === wish.treatmentId);
  const doctorId = namedDoctor(wish);
  const named = doctorId ? facts.doctors.filter(({ id }) => id === doctorId) : facts.doctors;
  const active = named.filter((doctor) => doctor.active);
  if (!treatment || (doctorId && active.length === 0)) return undefined;
  if (wish.patientId && facts.patient?.id !== wish.patientId) return undefined;
  return {
    treatment,
    doctors: active.filter(({ providerType }) => treatment.providerType === null || treatment.providerType === providerType),
    patient: wish.patientId ? facts.patient : null,
    ignore: wish.ignoreAppointmentId,
    durationMs: treatment.durationMinutes * minuteMs,
    beforeMs: treatment.bufferBeforeMinutes * minuteMs,
    afterMs: treatment.bufferAfterMinutes * minuteMs,
  };
}

/** A person is in one place at a time. */
export const patientResource = (patient: PatientFact) => ({ id: patient.resourceId, seats: 1 });
