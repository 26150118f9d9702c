import type { PendingQuery, Row } from "postgres";
import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { loadFactsBeside } from "../../clinics/load-facts";
import { addDays, dayBounds, isDate, localAt, minuteMs, type Span, toIso } from "../../clinics/local-time";
import { overlaps } from "../../clinics/spans";
import type { ClinicFacts, Scope } from "../../clinics/types";
import type { PlanningRange, PlanningSnapshot, VisitFact, WeightsFact } from "./types";
import { builtInWeights } from "./weights";

/** Round trips of one snapshot, whatever the range, the doctors and the visits. A test counts them. */
export const loadSnapshotQueries = 1;
/** A longer range is planned in parts. */
export const planningDaysMax = 62;

const hourMs = 3_600_000;

/**
 * Everything that a plan for these dates is calculated from: facts, claims, visits and weights. One statement, so that all of it is of one moment at any
 * isolation. `undefined` when the clinic is not in scope. Throws AppError request-invalid for dates that cannot be.
 */
export async function loadSnapshot(tx: Tx, scope: Scope, range: PlanningRange): Promise<PlanningSnapshot | undefined> {
  const { clinicId, fromDate, untilDate } = range;
  if (!isDate(fromDate) || !isDate(untilDate) || fromDate > untilDate || addDays(fromDate, planningDaysMax) <= untilDate)
    throw new AppError("request-invalid", `A plan covers 1 to ${planningDaysMax} dates.`);
  const asked = {
    clinicId,
    // the zone is not known yet: offsets lie between −12 and +14 h; a visit with buffers takes at most 4 + 12 + 4 h
    from: Date.parse(`${fromDate}T00:00Z`) - 18 * hourMs,
    until: Date.parse(`${addDays(untilDate, 1)}T00:00Z`) + 32 * hourMs,
    patientsOf: { fromDate, untilDate },
  };
  const loaded = await loadFactsBeside<Beside>(tx, scope, asked, besideSql(tx, range));
  if (!loaded) return undefined;
  const { facts, beside } = loaded;
  return {
    range: { clinicId, fromDate, untilDate },
    facts: withinReach(facts, reachOf(facts, range)),
    visits: toVisits(facts, beside),
    weights: beside.weights ?? builtInWeights,
  };
}

/** From the first moment of the first date to the end of the longest visit that may still begin on the last one. */
function reachOf({ clinic, treatments }: ClinicFacts, { fromDate, untilDate }: PlanningRange): Span {
  const longest = treatments.flatMap(({ durationMinutes, needs }) => [
    durationMinutes,
    ...needs.map(({ usageOffsetMinutes, usageMinutes }) => usageOffsetMinutes + (usageMinutes ?? 0)),
  ]);
  return {
    from: dayBounds(clinic.zone, fromDate).from,
    until: dayBounds(clinic.zone, addDays(untilDate, 1)).from + Math.max(0, ...longest) * minuteMs,
  };
}

/** Buffers claim the doctor a little longer, also outside of the hours: claims are known that far. */
function withBuffers({ treatments }: ClinicFacts, reach: Span): Span {
  const before = Math.max(0, ...treatments.map(({ bufferBeforeMinutes }) => bufferBeforeMinutes));
  const after = Math.max(0, ...treatments.map(({ bufferAfterMinutes }) => bufferAfterMinutes));
  return { from: reach.from - before * minuteMs, until: reach.until + after * minuteMs };
}

/** A closure of next week decides nothing about this week, so it must not make this week's plan stale. */
function withinReach(facts: ClinicFacts, reach: Span): ClinicFacts {
  const { zone } = facts.clinic;
  const [firstDate, lastDate] = [localAt(zone, reach.from).date, localAt(zone, reach.until).date];
  return {
    ...facts,
    range: withBuffers(facts, reach),
    closures: facts.closures.filter((period) => overlaps(period, reach)),
    absences: facts.absences.filter((period) => overlaps(period, reach)),
    outages: facts.outages.filter((period) => overlaps(period, reach)),
    holidays: facts.holidays.filter(({ date }) => date >= firstDate && date <= lastDate),
  };
}

/** Arrays, because they are many: 2,000 visits as objects take twice as long. */
type LoadedVisit = [
  id: string,
  ref: string,
  status: VisitFact["status"],
  version: string,
  placementVersion: string,
  patientId: string,
  patientResourceId: string,
  doctorId: string,
  treatmentId: string,
  startsAt: string,
  endsAt: string,
  localDate: string,
  pinned: boolean,
  toldPlacementVersion: string | null,
];
type Beside = { visits: LoadedVisit[] | null; used: [appointmentId: string, equipmentId: string][] | null; weights: WeightsFact | null };

/** `c` is the clinic, whose scope has been looked at. */
function besideSql(tx: Tx, { fromDate, untilDate }: PlanningRange): PendingQuery<Row[]> {
  return tx.sql`json_build_object(
      'weights', (select json_build_object('unassigned', w.unassigned, 'movedTold', w.moved_told, 'movedUntold', w.moved_untold,
         'doctorChanged', w.doctor_changed, 'perDayMoved', w.per_day_moved, 'perQuarterMoved', w.per_quarter_moved,
         'otherDoctor', w.other_doctor, 'perDayOff', w.per_day_off, 'outsideWindow', w.outside_window, 'loadPair', w.load_pair,
         'gapPerFiveMinutes', w.gap_per_five_minutes)
       from planning_weights w where w.clinic_id = c.id),
      'visits', (select json_agg(json_build_array(a.id, a.ref, a.status, a.version::text, a.placement_version::text, a.patient_id, p.resource_id,
         a.doctor_id, a.treatment_id, a.starts_at, a.ends_at, a.local_date, a.pinned,
         a.told_placement_version::text) order by a.id)
       from appointments a
       join patients p on p.tenant_group_id = a.tenant_group_id and p.id = a.patient_id
       where a.clinic_id = c.id
         and a.local_date between ${fromDate}::date and ${untilDate}::date
         and a.status in ('REQUESTED', 'CONFIRMED', 'PENDING_RESCHEDULE', 'CHECKED_IN', 'IN_PROGRESS')),
      'used', (select json_agg(json_build_array(e.appointment_id, e.equipment_id) order by e.id)
       from appointments a
       join appointment_equipment e on e.appointment_id = a.id
       where a.clinic_id = c.id and a.local_date between ${fromDate}::date and ${untilDate}::date))`;
}

/** What a visit uses was written in the order of its treatment's needs. */
function toVisits({ treatments, claims }: ClinicFacts, { visits, used }: Beside): VisitFact[] {
  const needsOf = new Map(treatments.map(({ id, needs }) => [id, needs]));
  const usedBy = new Map<string, string[]>();
  for (const [appointmentId, equipmentId] of used ?? []) usedBy.set(appointmentId, [...(usedBy.get(appointmentId) ?? []), equipmentId]);
  const overridden = new Set(claims.filter((claim) => claim.overridden).map(({ appointmentId }) => appointmentId));
  return (visits ?? []).map(
    ([
      id,
      ref,
      status,
      version,
      placementVersion,
      patientId,
      patientResourceId,
      doctorId,
      treatmentId,
      startsAt,
      endsAt,
      localDate,
      pinned,
      told,
    ]) => ({
      id,
      ref,
      status,
      version,
      placementVersion,
      patientId,
      patientResourceId,
      doctorId,
      treatmentId,
      startsAt: toIso(Date.parse(startsAt)),
      endsAt: toIso(Date.parse(endsAt)),
      localDate,
      equipment: (usedBy.get(id) ?? []).map((equipmentId, i) => ({
        equipmentId,
        needPosition: needsOf.get(treatmentId)?.[i]?.position ?? i,
      })),
      pinned,
      toldPlacementVersion: told,
      overridden: overridden.has(id),
    }),
  );
}
