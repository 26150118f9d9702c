// The facts that decide where a visit can be, as plain data: read once, then decided over without the database.
import type { Span } from "./local-time";

export type ClinicFact = {
  id: string;
  tenantGroupId: string;
  ref: string;
  name: string;
  zone: string;
  gridMinutes: number;
  defaultDoctorSeats: number;
  openOnHolidays: boolean;
  /** Set when the clinic as a whole has a limit. */
  resource: { id: string; seats: number } | null;
  /** Of the weekly hours as a whole. */
  hoursVersion: string;
  factVersion: string;
};
export type HoursFact = { weekday: number; from: string; until: string };
export type DoctorFact = {
  id: string;
  ref: string;
  name: string;
  specialty: string;
  providerType: string;
  /** Its limit here; null: the clinic's default. */
  seats: number | null;
  resourceId: string;
  resourceSeats: number;
  active: boolean;
  /** Of the shifts as a whole. */
  hoursVersion: string;
  shifts: HoursFact[];
};
export type BreakFact = {
  id: string;
  doctorId: string | null;
  weekday: number | null;
  from: string;
  until: string;
  label: string;
  version: string;
};
/** Wall clocks as entered beside the instants that they mean. */
type Period = Span & { id: string; localFrom: string; localUntil: string; reason: string; version: string };
export type ClosureFact = Period;
export type AbsenceFact = Period & { doctorId: string };
export type OutageFact = Period & { resourceId: string; units: number };
export type HolidayFact = { date: string; name: string };
export type EquipmentFact = {
  id: string;
  ref: string;
  name: string;
  kind: "DEVICE" | "ROOM";
  quantity: number;
  resourceId: string;
  resourceSeats: number;
  active: boolean;
};
export type NeedFact = {
  position: number;
  usageOffsetMinutes: number;
  /** null: until the visit ends */
  usageMinutes: number | null;
  /** Any one of them; first choice first. */
  equipmentIds: string[];
};
export type TreatmentFact = {
  id: string;
  ref: string;
  name: string;
  durationMinutes: number;
  bufferBeforeMinutes: number;
  bufferAfterMinutes: number;
  providerType: string | null;
  seats: number | null;
  active: boolean;
  needs: NeedFact[];
};
export type PatientFact = { id: string; ref: string; resourceId: string };
/** What a visit holds of a resource; a doctor's claim has its buffers inside. `appointmentId` is null for a visit of a clinic out of scope. */
export type ClaimFact = Span & {
  resourceId: string;
  appointmentId: string | null;
  appointmentRef: string | null;
  seats: number | null;
  overridden: boolean;
};

export type ClinicFacts = {
  /** Of the database, when it read. */
  asOf: string;
  /** Closures, absences, outages, holidays and claims are complete for this span and say nothing outside of it. */
  range: Span;
  clinic: ClinicFact;
  hours: HoursFact[];
  doctors: DoctorFact[];
  breaks: BreakFact[];
  closures: ClosureFact[];
  holidays: HolidayFact[];
  absences: AbsenceFact[];
  equipment: EquipmentFact[];
  outages: OutageFact[];
  treatments: TreatmentFact[];
  patient: PatientFact | null;
  claims: ClaimFact[];
};

/** What a query takes first: the rows that the actor may see. Every Actor fits. */
export type Scope = { tenantGroupId?: string; clinicIds?: readonly string[] };

export const blockerCodes = [
  "IN_THE_PAST",
  "OUTSIDE_HOURS",
  "OFF_GRID",
  "CLOSED",
  "HOLIDAY",
  "BREAK",
  "DOCTOR_ABSENT",
  "OUTSIDE_SHIFT",
  "DOCTOR_TAKEN",
  "EQUIPMENT_OUT",
  "EQUIPMENT_TAKEN",
  "CLINIC_FULL",
  "PATIENT_TAKEN",
  "PROVIDER_TYPE",
  "NO_DOCTOR",
  "NO_EQUIPMENT",
  "DOCTOR_UNKNOWN",
  "TREATMENT_UNKNOWN",
  "PATIENT_UNKNOWN",
] as const;
export type BlockerCode = (typeof blockerCodes)[number];

/** One reason why a visit cannot be there, by name. Patients are named by their reference only. */
export type Blocker = {
  code: BlockerCode;
  subject: { kind: "CLINIC" | "DOCTOR" | "EQUIPMENT" | "PATIENT" | "TREATMENT"; ref: string; name: string | null };
  /** The closure's reason, the holiday's name, the break's label. */
  label: string | null;
  /** ISO instants of what stands in the way. */
  from: string;
  until: string;
  /** The visit that holds it, when it is one that the actor may see. */
  appointmentRef: string | null;
};

/** Where a visit would be, and every row that it writes for it. */
export type Placement = {
  doctorId: string;
  startsAt: string;
  endsAt: string;
  localDate: string;
  localStart: string;
  utcOffsetSeconds: number;
  /** One for each need of the treatment; `during` as PostgreSQL writes it. */
  equipment: { equipmentId: string; during: string }[];
  /** In the order of the resource ids: the order in which every writer takes them. */
  claims: { resourceId: string; fromIso: string; untilIso: string; seats: number | null }[];
};
export type PlacementResult = { ok: true; placement: Placement } | { ok: false; blockers: Blocker[] };

export type Slot = {
  startsAt: string;
  endsAt: string;
  /** 2027-02-09T10:00 on the clinic's clock */
  localStart: string;
  utcOffset: string;
  /** The clocks go back and show this time twice: say the offset with it. */
  repeated: boolean;
  /** Who can take it; the first is the one that "any doctor" gets. */
  doctorIds: string[];
  /** Visits of this treatment that can still start then, over all these doctors; never more, seldom fewer (alternatives may share a device). */
  freeSeats: number;
};
