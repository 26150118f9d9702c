import type { Tx } from "@/db/client";
import { type Clock, systemClock, toInstant } from "@/server/clock";
import { type NextAction, nextActions } from "@/server/domain/appointments/next-actions";
import type { AppointmentAction, AppointmentState } from "@/server/domain/appointments/states";
import { loadClinicFacts } from "@/server/domain/clinics/load-facts";
import { addDays, dayBounds, dayInterval, isoWeekday, type Span, toIso } from "@/server/domain/clinics/local-time";
import type { ClinicFacts, HoursFact } from "@/server/domain/clinics/types";
import { hasRole, type PersonActor } from "@/server/domain/scope/actor";

export type DeskColumn = {
  id: string;
  kind: "DOCTOR" | "DEVICE" | "ROOM";
  ref: string;
  name: string;
  /** Specialty of a doctor, "2×" of several devices. */
  detail: string;
  /** Of a doctor: a treatment that asks for a provider type takes only these. */
  providerType: string | null;
  visits: number;
};
/** Time in which a column (null: every column) cannot be used, and why. */
export type DeskBlock = {
  columnId: string | null;
  kind: "OUTSIDE_HOURS" | "CLOSED" | "HOLIDAY" | "BREAK" | "ABSENT" | "OUT_OF_SHIFT" | "OUTAGE";
  from: string;
  until: string;
  label: string | null;
};
export type DeskVisit = {
  id: string;
  ref: string;
  version: string;
  status: AppointmentState;
  startsAt: string;
  endsAt: string;
  doctorId: string;
  treatment: string;
  treatmentId: string;
  source: string;
  /** `name` is null for everybody but the front desk. */
  patient: { id: string; ref: string; name: string | null };
  equipment: { equipmentId: string; from: string; until: string }[];
  /** What may be done with it now, and why not; the commands decide by the same function. */
  actions: Record<AppointmentAction, NextAction>;
};
export type DeskDay = {
  asOf: string;
  clinic: { id: string; ref: string; name: string; zone: string; gridMinutes: number };
  date: string;
  /** The date whose opening is running: after midnight that of the night which still is, see runningDate. */
  today: string;
  /** What the calendar draws: from the first opening to the last closing (which may be on the next day), and every visit of the date. */
  from: string;
  until: string;
  open: { from: string; until: string }[];
  columns: DeskColumn[];
  blocks: DeskBlock[];
  visits: DeskVisit[];
  treatments: {
    id: string;
    ref: string;
    name: string;
    durationMinutes: number;
    providerType: string | null;
    /** A visit of it holds devices or a room besides the doctor. */
    usesEquipment: boolean;
  }[];
};

/**
 * The day of one clinic by doctor, device and room. Undefined when the clinic is not in scope. Two statements.
 * A night that begins on `date` is drawn whole, so a visit at 02:00 stands in the day in which its shift began; when no date is wished, it is the
 * running one by `clock`.
 */
export async function deskDay(
  tx: Tx,
  actor: PersonActor,
  asked: { clinicId: string; date: string | null },
  clock: Clock = systemClock,
): Promise<DeskDay | undefined> {
  const now = clock.now().epochMilliseconds;
  // The zone is not known yet: a span that holds the wished date in every zone, and today when none was wished.
  const middle = asked.date ? Date.parse(`${asked.date}T12:00Z`) : now;
  const facts = await loadClinicFacts(tx, actor, {
    clinicId: asked.clinicId,
    from: middle - 48 * hour,
    until: middle + 60 * hour,
    withoutClaims: true,
  });
  if (!facts) return undefined;
  const { zone } = facts.clinic;
  const today = runningDate(facts.hours, zone, now);
  const date = asked.date ?? today;
  const open = intervalsOn(facts.hours, zone, date);
  const bounds = open.length > 0 ? hull(open) : businessHours(zone, date);
  const visits = await readVisits(
    tx,
    actor,
    { clinicId: asked.clinicId, zone, now: facts.asOf },
    date,
    bounds,
    intervalsOn(facts.hours, zone, addDays(date, -1)),
  );
  const shown = hull([bounds, ...visits.map(spanOf)]);
  return {
    asOf: facts.asOf,
    clinic: { id: facts.clinic.id, ref: facts.clinic.ref, name: facts.clinic.name, zone, gridMinutes: facts.clinic.gridMinutes },
    date,
    today,
    from: toIso(floorHour(shown.from)),
    until: toIso(ceilHour(shown.until)),
    open: open.map(toText),
    columns: columnsOf(facts, visits),
    blocks: blocksOf(facts, date, open, { from: floorHour(shown.from), until: ceilHour(shown.until) }),
    visits,
    treatments: facts.treatments
      .filter((treatment) => treatment.active)
      .map(({ id, ref, name, durationMinutes, providerType, needs }) => ({
        id,
        ref,
        name,
        durationMinutes,
        providerType,
        usesEquipment: needs.length > 0,
      })),
  };
}

const hour = 3_600_000;
const spanOf = (visit: DeskVisit): Span => ({ from: Date.parse(visit.startsAt), until: Date.parse(visit.endsAt) });
export const toText = (span: Span) => ({ from: toIso(span.from), until: toIso(span.until) });
export const floorHour = (at: number) => Math.floor(at / (hour / 2)) * (hour / 2); // half hours: some zones lie off the full hour
export const ceilHour = (at: number) => Math.ceil(at / (hour / 2)) * (hour / 2);
export const hull = (spans: Span[]): Span => ({
  from: Math.min(...spans.map((s) => s.from)),
  until: Math.max(...spans.map((s) => s.until)),
});

function dateOf(zone: string, at: number): string {
  const utc = new Date(at).toISOString().slice(0, 10);
  return [addDays(utc, -1), utc, addDays(utc, 1)].find((day) => within(at, dayBounds(zone, day))) ?? utc;
}

/**
 * The date that is worked on at a moment: the calendar's, or the day before while a night that began on it still runs and the new date has not opened
 * by itself.
 */
export function runningDate(hours: HoursFact[], zone: string, at: number): string {
  const date = dateOf(zone, at);
  const isOpen = (one: string) => intervalsOn(hours, zone, one).some((span) => within(at, span));
  const dayBefore = addDays(date, -1);
  return !isOpen(date) && isOpen(dayBefore) ? dayBefore : date;
}

export const within = (at: number, span: Span) => span.from <= at && at < span.until;
export const businessHours = (zone: string, date: string): Span => dayInterval(zone, date, "08:00", "18:00");

export function intervalsOn(hours: HoursFact[], zone: string, date: string): Span[] {
  return hours.filter((h) => h.weekday === isoWeekday(date)).map((h) => dayInterval(zone, date, h.from, h.until));
}

/** What lies between the intervals, inside of `frame`. */
function gaps(frame: Span, intervals: Span[]): Span[] {
  const found: Span[] = [];
  let at = frame.from;
  for (const span of [...intervals].sort((a, b) => a.from - b.from)) {
    if (span.from > at) found.push({ from: at, until: Math.min(span.from, frame.until) });
    at = Math.max(at, span.until);
  }
  if (at < frame.until) found.push({ from: at, until: frame.until });
  return found.filter((span) => span.from < span.until);
}

function cut(span: Span, frame: Span): Span | undefined {
  const inner = { from: Math.max(span.from, frame.from), until: Math.min(span.until, frame.until) };
  return inner.from < inner.until ? inner : undefined;
}

function columnsOf(facts: ClinicFacts, visits: DeskVisit[]): DeskColumn[] {
  const doctors = facts.doctors
    .filter((doctor) => doctor.active || visits.some((visit) => visit.doctorId === doctor.id))
    .map((doctor) => ({
      id: doctor.id,
      kind: "DOCTOR" as const,
      ref: doctor.ref,
      name: doctor.name,
      detail: doctor.specialty,
      providerType: doctor.providerType,
      visits: visits.filter((visit) => visit.doctorId === doctor.id).length,
    }));
  const things = facts.equipment
    .filter((thing) => thing.active)
    .map((thing) => ({
      id: thing.id,
      kind: thing.kind,
      ref: thing.ref,
      name: thing.name,
      detail: thing.quantity > 1 ? `${thing.quantity}×` : "",
      providerType: null,
      visits: visits.filter((visit) => visit.equipment.some((used) => used.equipmentId === thing.id)).length,
    }));
  const byName = (a: DeskColumn, b: DeskColumn) => (a.name < b.name ? -1 : 1);
  return [...doctors.sort(byName), ...things.sort((a, b) => (a.kind === b.kind ? byName(a, b) : a.kind === "DEVICE" ? -1 : 1))];
}

export function blocksOf(facts: ClinicFacts, date: string, open: Span[], frame: Span): DeskBlock[] {
  const { zone } = facts.clinic;
  const blocks: (Omit<DeskBlock, "from" | "until"> & Span)[] = [];
  const holiday = facts.clinic.openOnHolidays ? undefined : facts.holidays.find((day) => day.date === date);
  for (const span of gaps(frame, open)) blocks.push({ columnId: null, kind: "OUTSIDE_HOURS", label: null, ...span });
  if (holiday) blocks.push({ columnId: null, kind: "HOLIDAY", label: holiday.name, ...frame });
  for (const closure of facts.closures)
    blocks.push({ columnId: null, kind: "CLOSED", label: closure.reason, from: closure.from, until: closure.until });
  for (const rest of facts.breaks) {
    if (rest.weekday !== null && rest.weekday !== isoWeekday(date)) continue;
    blocks.push({ columnId: rest.doctorId, kind: "BREAK", label: rest.label, ...dayInterval(zone, date, rest.from, rest.until) });
  }
  for (const absence of facts.absences)
    blocks.push({ columnId: absence.doctorId, kind: "ABSENT", label: absence.reason, from: absence.from, until: absence.until });
  for (const doctor of facts.doctors.filter((one) => one.active)) {
    const shifts = intervalsOn(doctor.shifts, zone, date);
    for (const interval of open)
      for (const span of gaps(interval, shifts)) blocks.push({ columnId: doctor.id, kind: "OUT_OF_SHIFT", label: null, ...span });
  }
  for (const outage of facts.outages) {
    const thing = facts.equipment.find((one) => one.resourceId === outage.resourceId);
    // Some units out of many leave the column in use; the slot list counts them.
    if (thing && outage.units >= thing.quantity)
      blocks.push({ columnId: thing.id, kind: "OUTAGE", label: outage.reason, from: outage.from, until: outage.until });
  }
  // a break of a day or an hour that is closed anyhow is no news
  const closed = blocks.filter((block) => block.columnId === null && block.kind !== "BREAK");
  const isWithinClosed = (block: Span) => closed.some(({ from, until }) => from <= block.from && block.until <= until);
  const drawn = blocks.filter((block) => block.kind !== "BREAK" || !isWithinClosed(block));
  return drawn.flatMap(({ from, until, ...block }) => {
    const inner = cut({ from, until }, frame);
    return inner ? [{ ...block, ...toText(inner) }] : [];
  });
}

type Found = Omit<DeskVisit, "patient" | "actions"> & {
  patientId: string;
  patientRef: string;
  patientName: string | null;
  localDate: string;
  changedAt: string;
};

/** Visits of the shown span, and of the date unless the night before has them. Cancelled visits hold no time and are not drawn. */
async function readVisits(
  tx: Tx,
  actor: PersonActor,
  clinic: { clinicId: string; zone: string; now: string },
  date: string,
  bounds: Span,
  nightBefore: Span[],
): Promise<DeskVisit[]> {
  const { clinicId, zone } = clinic;
  const rows = await tx.sql<Found[]>`
    select a.id, a.ref, a.version, a.status, a.doctor_id as "doctorId", a.treatment_id as "treatmentId", t.name as treatment, a.source,
      to_char(a.starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "startsAt",
      to_char(a.ends_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "endsAt",
      to_char(a.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "changedAt",
      a.local_date as "localDate",
      p.id as "patientId", p.ref as "patientRef",
      case when ${hasRole(actor, "FRONT_DESK", clinicId)}::boolean then p.name end as "patientName",
      coalesce((select jsonb_agg(jsonb_build_object('equipmentId', e.equipment_id,
          'from', to_char(lower(e.during) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
          'until', to_char(upper(e.during) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) order by e.id)
        from appointment_equipment e where e.appointment_id = a.id), '[]') as equipment
    from appointments a
    join treatments t on t.id = a.treatment_id
    join patients p on p.id = a.patient_id
    where a.tenant_group_id = ${actor.tenantGroupId} and a.clinic_id = ${clinicId} and a.clinic_id = any (${[...actor.clinicIds]}::uuid[])
      and a.status <> 'CANCELLED'
      and a.local_date between ${addDays(date, -1)} and ${addDays(date, 1)}
      and (a.local_date = ${date} or (a.starts_at < ${toIso(bounds.until)} and a.ends_at > ${toIso(bounds.from)}))
    order by a.starts_at, a.id`;
  const isOfNightBefore = (starts: number) => !within(starts, bounds) && nightBefore.some((span) => within(starts, span));
  return rows
    .filter((row) => row.localDate !== date || !isOfNightBefore(Date.parse(row.startsAt)))
    .map(({ patientId, patientRef, patientName, localDate, changedAt, ...visit }) => ({
      ...visit,
      patient: { id: patientId, ref: patientRef, name: patientName },
      actions: nextActions(
        {
          clinicId,
          zone,
          localDate,
          status: visit.status,
          startsAt: toInstant(visit.startsAt),
          endsAt: toInstant(visit.endsAt),
          changedAt: toInstant(changedAt),
        },
        actor,
        toInstant(clinic.now),
      ),
    }));
}
