// Facts made by hand, for tests of the pure functions: a clinic with one doctor D1, open and on shift every day 09:00–12:00 and 13:00–17:00.
import { Temporal } from "temporal-polyfill";
import { localSpan } from "./local-time";
import type { ClaimFact, ClinicFact, ClinicFacts, DoctorFact, EquipmentFact, HoursFact, TreatmentFact } from "./types";

export const everyDayAt = (...intervals: [string, string][]): HoursFact[] =>
  [1, 2, 3, 4, 5, 6, 7].flatMap((weekday) => intervals.map(([from, until]) => ({ weekday, from, until })));

const usual = everyDayAt(["09:00", "12:00"], ["13:00", "17:00"]);

export const doctorFact = (id: string, rest: Partial<DoctorFact> = {}): DoctorFact => ({
  id,
  ref: id,
  name: `Doctor ${id}`,
  specialty: "General practice",
  providerType: "DOCTOR",
  seats: null,
  resourceId: `r-${id}`,
  resourceSeats: rest.seats ?? 1,
  active: true,
  hoursVersion: "1",
  shifts: usual,
  ...rest,
});

export const deviceFact = (id: string, rest: Partial<EquipmentFact> = {}): EquipmentFact => ({
  id,
  ref: id,
  name: `Device ${id}`,
  kind: "DEVICE",
  quantity: rest.quantity ?? 1,
  resourceId: `r-${id}`,
  resourceSeats: rest.quantity ?? 1,
  active: true,
  ...rest,
});

export const treatmentFact = (id: string, durationMinutes: number, rest: Partial<TreatmentFact> = {}): TreatmentFact => ({
  id,
  ref: id,
  name: `Treatment ${id}`,
  durationMinutes,
  bufferBeforeMinutes: 0,
  bufferAfterMinutes: 0,
  providerType: null,
  seats: null,
  active: true,
  needs: [],
  ...rest,
});

export const needFact = (equipmentIds: string[], rest: Partial<TreatmentFact["needs"][number]> = {}): TreatmentFact["needs"][number] => ({
  position: 0,
  usageOffsetMinutes: 0,
  usageMinutes: null,
  equipmentIds,
  ...rest,
});

type Overrides = Partial<Omit<ClinicFacts, "clinic">> & { clinic?: Partial<ClinicFact> };

/** Read for the year 2026-06 to 2027-12; `overrides` replace whole lists. */
export function factsWith({ clinic, ...overrides }: Overrides = {}): ClinicFacts {
  return {
    asOf: "2026-10-01T00:00:00.000000Z",
    range: { from: Date.parse("2026-06-01T00:00Z"), until: Date.parse("2027-12-31T00:00Z") },
    clinic: {
      id: "c",
      tenantGroupId: "t",
      ref: "CL-000000",
      name: "Clinic",
      zone: "Europe/Berlin",
      gridMinutes: 15,
      defaultDoctorSeats: 1,
      openOnHolidays: false,
      resource: null,
      hoursVersion: "1",
      factVersion: "1",
      ...clinic,
    },
    hours: usual,
    doctors: [doctorFact("D1")],
    breaks: [],
    closures: [],
    holidays: [],
    absences: [],
    equipment: [],
    outages: [],
    treatments: [treatmentFact("V15", 15), treatmentFact("V30", 30), treatmentFact("V60", 60)],
    patient: null,
    claims: [],
    ...overrides,
  };
}

/** What a visit holds of a resource, in clinic time. */
export const claimFact = (zone: string, resourceId: string, from: string, until: string, rest: Partial<ClaimFact> = {}): ClaimFact => ({
  resourceId,
  appointmentId: `a-${resourceId}-${from}`,
  appointmentRef: `APT-${from.slice(11, 13)}${from.slice(14, 16)}00`,
  seats: null,
  overridden: false,
  ...localSpan(zone, from, until),
  ...rest,
});

export const periodFact = (zone: string, localFrom: string, localUntil: string, reason = "Reason") => ({
  id: `p-${localFrom}`,
  localFrom,
  localUntil,
  reason,
  version: "1",
  ...localSpan(zone, localFrom, localUntil),
});

export const longAgo = Temporal.Instant.from("2026-10-01T00:00:00Z");
