import type { Tx } from "@/db/client";
import { type Clock, systemClock } from "@/server/clock";
import { loadClinicFacts } from "@/server/domain/clinics/load-facts";
import { addDays, isoWeekday, localAt, type Span, toIso } from "@/server/domain/clinics/local-time";
import type { HoursFact } from "@/server/domain/clinics/types";
import { hasRole, type PersonActor } from "@/server/domain/scope/actor";
import {
  blocksOf,
  businessHours,
  ceilHour,
  type DeskBlock,
  type DeskDay,
  type DeskVisit,
  floorHour,
  hull,
  intervalsOn,
  runningDate,
  toText,
  within,
} from "./desk-day";

export type WeekVisit = Pick<DeskVisit, "id" | "ref" | "status" | "startsAt" | "endsAt" | "doctorId" | "treatment" | "patient">;
export type WeekDay = {
  date: string;
  /** From the first opening to the last closing, and every visit that belongs to the date. */
  from: string;
  until: string;
  open: { from: string; until: string }[];
  /** Of the clinic and of its doctors. */
  blocks: DeskBlock[];
  visits: WeekVisit[];
};
export type DeskWeek = {
  asOf: string;
  clinic: DeskDay["clinic"];
  today: string;
  /** Monday to Sunday. */
  days: WeekDay[];
  doctors: { id: string; ref: string; name: string; detail: string }[];
};

/**
 * Monday to Sunday of the week of a date, of one clinic. A visit stands on one day: the one on which its shift began, as in the day view. Two
 * statements, whatever is closed. Undefined when the clinic is not in scope.
 */
export async function deskWeek(
  tx: Tx,
  actor: PersonActor,
  asked: { clinicId: string; date: string | null },
  clock: Clock = systemClock,
): Promise<DeskWeek | undefined> {
  const dayMs = 86_400_000;
  const middle = asked.date ? Date.parse(`${asked.date}T12:00Z`) : clock.now().epochMilliseconds;
  const facts = await loadClinicFacts(tx, actor, {
    clinicId: asked.clinicId,
    from: middle - 9 * dayMs, // the weekday in the clinic's zone is not known yet
    until: middle + 9 * dayMs,
    withoutClaims: true,
  });
  if (!facts) return undefined;
  const { id, ref, name, zone, gridMinutes } = facts.clinic;
  const today = runningDate(facts.hours, zone, clock.now().epochMilliseconds);
  const wished = asked.date ?? today;
  const monday = addDays(wished, 1 - isoWeekday(wished));
  const dates = Array.from({ length: 7 }, (_, i) => addDays(monday, i));
  const visits = await readWeekVisits(tx, actor, asked.clinicId, monday);
  const belongs = visits.map((visit) => dayOf(visit, facts.hours, zone));
  const days = dates.map((date): WeekDay => {
    const open = intervalsOn(facts.hours, zone, date);
    const own = visits.filter((_, i) => belongs[i] === date);
    const spans = own.map((visit): Span => ({ from: Date.parse(visit.startsAt), until: Date.parse(visit.endsAt) }));
    const shown = hull([open.length > 0 ? hull(open) : businessHours(zone, date), ...spans]);
    const frame = { from: floorHour(shown.from), until: ceilHour(shown.until) };
    const blocks = blocksOf(facts, date, open, frame).filter((block) => !facts.equipment.some((thing) => thing.id === block.columnId));
    return { date, from: toIso(frame.from), until: toIso(frame.until), open: open.map(toText), blocks, visits: own };
  });
  const doctors = facts.doctors
    .filter((doctor) => doctor.active || visits.some((visit) => visit.doctorId === doctor.id))
    .map((doctor) => ({ id: doctor.id, ref: doctor.ref, name: doctor.name, detail: doctor.specialty }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { asOf: facts.asOf, clinic: { id, ref, name, zone, gridMinutes }, today, days, doctors };
}

/** The date in which the shift of a visit began: after midnight that is the day before, unless this day is open by itself. */
function dayOf(visit: WeekVisit, hours: HoursFact[], zone: string): string {
  const startMs = Date.parse(visit.startsAt);
  const { date } = localAt(zone, startMs);
  const open = intervalsOn(hours, zone, date);
  const isOwn = within(startMs, open.length > 0 ? hull(open) : businessHours(zone, date));
  const dayBefore = addDays(date, -1);
  return !isOwn && intervalsOn(hours, zone, dayBefore).some((span) => within(startMs, span)) ? dayBefore : date;
}

/** From Monday to the night that ends on the next Monday. Cancelled visits hold no time and are not drawn. */
async function readWeekVisits(tx: Tx, actor: PersonActor, clinicId: string, monday: string): Promise<WeekVisit[]> {
  type Row = Omit<WeekVisit, "patient"> & { patientId: string; patientRef: string; patientName: string | null };
  const rows = await tx.sql<Row[]>`
    select a.id, a.ref, a.status, a.doctor_id as "doctorId", t.name as treatment,
      to_char(a.starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "startsAt",
      to_char(a.ends_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "endsAt",
      p.id as "patientId", p.ref as "patientRef",
      case when ${hasRole(actor, "FRONT_DESK", clinicId)}::boolean then p.name end as "patientName"
    from appointments a
    join treatments t on t.id = a.treatment_id
    join patients p on p.id = a.patient_id
    where a.tenant_group_id = ${actor.tenantGroupId} and a.clinic_id = ${clinicId} and a.clinic_id = any (${[...actor.clinicIds]}::uuid[])
      and a.status <> 'CANCELLED'
      and a.local_date between ${monday} and ${addDays(monday, 7)}
    order by a.starts_at, a.id`;
  return rows.map(({ patientId, patientRef, patientName, ...visit }) => ({
    ...visit,
    patient: { id: patientId, ref: patientRef, name: patientName },
  }));
}
