import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { loadClinicFacts } from "./load-facts";
import { addDays, dayBounds, isDate, localAt, type Span, toIso } from "./local-time";
import type { BreakFact, ClinicFact, ClinicFacts, DoctorFact, EquipmentFact, HolidayFact, HoursFact, TreatmentFact } from "./types";

type Shown<T> = Omit<T, "resource" | "resourceId" | "resourceSeats" | "tenantGroupId">;
/** Wall clock as entered, beside the instants that it means. */
type Period = { id: string; version: string; localFrom: string; localUntil: string; from: string; until: string; reason: string };
export type ClinicFactsView = {
  asOf: string;
  clinic: Shown<ClinicFact> & { seats: number | null };
  hours: HoursFact[];
  doctors: Shown<DoctorFact>[];
  treatments: TreatmentFact[];
  equipment: Shown<EquipmentFact>[];
  breaks: BreakFact[];
  holidays: HolidayFact[];
  closures: Period[];
  absences: (Period & { doctorId: string })[];
  outages: (Period & { equipmentId: string | null; units: number })[];
};

export const factDaysMax = 400;

/**
 * What a clinic is open for, and when: weekly facts whole, dated ones that touch the days asked for (1 to 400). One statement.
 * `fromDate` left out: today by the clinic's own calendar, which the reader's may be ahead of or behind.
 * Throws AppError: not-found for a clinic out of scope, request-invalid for a date or number of days that cannot be.
 */
export async function getClinicFacts(
  tx: Tx,
  scope: { tenantGroupId?: string; clinicIds?: readonly string[] },
  asked: { clinicId: string; fromDate?: string; days: number },
): Promise<ClinicFactsView> {
  if (
    (asked.fromDate !== undefined && !isDate(asked.fromDate)) ||
    !Number.isInteger(asked.days) ||
    asked.days < 1 ||
    asked.days > factDaysMax
  )
    throw new AppError("request-invalid", `Facts are asked for from a date on, for 1 to ${factDaysMax} days.`);
  // neither the zone nor the database's clock is known yet: a day more on each side than any zone needs
  const near = asked.fromDate === undefined ? Date.now() : Date.parse(`${asked.fromDate}T00:00Z`);
  const range = { from: near - 2 * dayMs, until: near + (asked.days + 2) * dayMs };
  const facts = await loadClinicFacts(tx, scope, { clinicId: asked.clinicId, ...range, withoutClaims: true });
  if (!facts) throw new AppError("not-found");
  const fromDate = asked.fromDate ?? localAt(facts.clinic.zone, Date.parse(facts.asOf)).date;
  const untilDate = addDays(fromDate, asked.days);
  const days = { from: dayBounds(facts.clinic.zone, fromDate).from, until: dayBounds(facts.clinic.zone, untilDate).from };
  const within = <F extends Span>(periods: F[]): F[] => periods.filter(({ from, until }) => from < days.until && days.from < until);
  return {
    asOf: facts.asOf,
    clinic: { ...withoutKeys(facts.clinic), seats: facts.clinic.resource?.seats ?? null },
    hours: facts.hours,
    doctors: facts.doctors.map(withoutKeys),
    treatments: facts.treatments,
    equipment: facts.equipment.map(withoutKeys),
    breaks: facts.breaks,
    holidays: facts.holidays.filter(({ date }) => date >= fromDate && date < untilDate),
    closures: within(facts.closures).map(toPeriod),
    absences: within(facts.absences).map((absence) => ({ ...toPeriod(absence), doctorId: absence.doctorId })),
    outages: within(facts.outages).map((outage) => ({
      ...toPeriod(outage),
      equipmentId: equipmentOf(facts, outage.resourceId),
      units: outage.units,
    })),
  };
}

const dayMs = 86_400_000;

const equipmentOf = (facts: ClinicFacts, resourceId: string): string | null =>
  facts.equipment.find((device) => device.resourceId === resourceId)?.id ?? null;

function toPeriod({ id, version, localFrom, localUntil, from, until, reason }: ClinicFacts["closures"][number]): Period {
  return { id, version, localFrom, localUntil, from: toIso(from), until: toIso(until), reason };
}

/** Without the keys that only claims and row-level security need. */
function withoutKeys<T extends object>(fact: T): Shown<T> {
  const { resource, resourceId, resourceSeats, tenantGroupId, ...shown } = fact as Record<string, unknown>;
  return shown as Shown<T>;
}
