import type { PendingQuery, Row } from "postgres";
import type { Tx } from "@/db/client";
import { type Span, toIso } from "./local-time";
import type {
  AbsenceFact,
  BreakFact,
  ClinicFact,
  ClinicFacts,
  ClosureFact,
  DoctorFact,
  EquipmentFact,
  HolidayFact,
  HoursFact,
  NeedFact,
  OutageFact,
  PatientFact,
  Scope,
  TreatmentFact,
} from "./types";

/** Round trips of one read, whatever the range, the doctors and the visits. A test counts them. */
export const loadFactsQueries = 1;

export type FactsRange = Span & {
  clinicId: string;
  /** Claims of what this treatment needs only (and of the clinic); left out: of every device and room. */
  treatmentId?: string;
  /** Claims of this doctor only; left out: of every active one. */
  doctorId?: string;
  /** With the claims of this patient, at any clinic of the tenant group. */
  patientId?: string;
  /** With the claims of every patient who has a visit on these dates, both included; `patient` stays null. */
  patientsOf?: { fromDate: string; untilDate: string };
  /** Facts only: what set-up and the API show. */
  withoutClaims?: boolean;
};

/**
 * Reads everything that decides where a visit can be, in one statement and so from one snapshot. `undefined` when the clinic is not in scope.
 * Weekly facts are whole; dated ones are those that touch the range. Instants come back as epoch milliseconds.
 */
export async function loadClinicFacts(tx: Tx, scope: Scope, range: FactsRange): Promise<ClinicFacts | undefined> {
  return (await loadFactsBeside<null>(tx, scope, range, null))?.facts;
}

/** The same statement with something more of the same moment: `beside` is one JSON value, in which `c` is the row of the clinic. */
export async function loadFactsBeside<T>(
  tx: Tx,
  scope: Scope,
  range: FactsRange,
  beside: PendingQuery<Row[]> | null,
): Promise<{ facts: ClinicFacts; beside: T } | undefined> {
  const tenantGroupId = scope.tenantGroupId ?? null; // a worker's may be open; row-level security decides then
  const clinicIds = scope.clinicIds ? [...scope.clinicIds] : null;
  const [from, until] = [toIso(range.from), toIso(range.until)];
  const [treatmentId, doctorId, patientId] = [range.treatmentId ?? null, range.doctorId ?? null, range.patientId ?? null];
  const { fromDate = null, untilDate = null } = range.patientsOf ?? {};
  const rows = await tx.sql<{ facts: Loaded; beside: T }[]>`
    with clinic as materialized (
      select c.*, s.fact_version, r.seats as resource_seats
      from clinics c
      join planning_scopes s on s.clinic_id = c.id
      left join resources r on r.id = c.resource_id
      where c.id = ${range.clinicId}::uuid
        and (${tenantGroupId}::uuid is null or c.tenant_group_id = ${tenantGroupId}::uuid)
        and (${clinicIds}::uuid[] is null or c.id = any (${clinicIds}::uuid[]))
    ),
    doctor as materialized (
      select d.*, r.seats as resource_seats from clinic c join doctors d on d.clinic_id = c.id join resources r on r.id = d.resource_id
    ),
    device as materialized (
      select e.*, r.seats as resource_seats from clinic c join equipment e on e.clinic_id = c.id join resources r on r.id = e.resource_id
    ),
    need as materialized (
      select n.treatment_id, n.position, n.usage_offset_minutes, n.usage_minutes,
             array(select o.equipment_id from treatment_need_options o where o.need_id = n.id order by o.preference, o.id) as equipment_ids
      from clinic c
      join treatment_needs n on n.clinic_id = c.id
    ),
    patient as materialized (
      select p.id, p.ref, p.resource_id from clinic c join patients p on p.tenant_group_id = c.tenant_group_id and p.id = ${patientId}::uuid
    ),
    wanted as (
      select d.resource_id from doctor d where d.active and (${doctorId}::uuid is null or d.id = ${doctorId}::uuid)
      union select e.resource_id from device e
        where ${treatmentId}::uuid is null or e.id in (select unnest(n.equipment_ids) from need n where n.treatment_id = ${treatmentId}::uuid)
      union select c.resource_id from clinic c where c.resource_id is not null
      union select p.resource_id from patient p
      union select p.resource_id from clinic c
        join appointments a on a.clinic_id = c.id and a.local_date between ${fromDate}::date and ${untilDate}::date
        join patients p on p.tenant_group_id = a.tenant_group_id and p.id = a.patient_id
    )
    select json_build_object(
      'asOf', to_char(clock_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      'clinic', json_build_object('id', c.id, 'tenantGroupId', c.tenant_group_id, 'ref', c.ref, 'name', c.name, 'zone', c.zone,
        'gridMinutes', c.grid_minutes, 'defaultDoctorSeats', c.default_doctor_seats, 'openOnHolidays', c.open_on_holidays,
        'resource', case when c.resource_id is not null then json_build_object('id', c.resource_id, 'seats', c.resource_seats) end,
        'hoursVersion', c.hours_version::text, 'factVersion', c.fact_version::text),
      'hours', (select json_agg(json_build_object('weekday', h.weekday, 'from', to_char(h.opens, 'HH24:MI'), 'until', to_char(h.closes, 'HH24:MI'))
                                 order by h.weekday, h.opens, h.closes)
                from clinic_hours h where h.clinic_id = c.id),
      'doctors', (select json_agg(json_build_object('id', d.id, 'ref', d.ref, 'name', d.name, 'specialty', d.specialty,
                    'providerType', d.provider_type, 'seats', d.seats, 'resourceId', d.resource_id, 'resourceSeats', d.resource_seats,
                    'active', d.active, 'hoursVersion', d.hours_version::text) order by d.ref)
                  from doctor d),
      'shifts', (select json_agg(json_build_array(s.doctor_id, s.weekday, to_char(s.starts, 'HH24:MI'), to_char(s.ends, 'HH24:MI'))
                                  order by s.weekday, s.starts, s.ends)
                 from doctor_hours s where s.clinic_id = c.id),
      'breaks', (select json_agg(json_build_object('id', b.id, 'doctorId', b.doctor_id, 'weekday', b.weekday,
                   'from', to_char(b.starts, 'HH24:MI'), 'until', to_char(b.ends, 'HH24:MI'), 'label', b.label, 'version', b.version::text) order by b.starts, b.id)
                 from breaks b where b.clinic_id = c.id),
      'closures', (select json_agg(json_build_object('id', f.id, 'from', floor(extract(epoch from lower(f.during)) * 1000)::bigint, 'until', ceil(extract(epoch from upper(f.during)) * 1000)::bigint,
                     'localFrom', f.local_from, 'localUntil', f.local_until, 'reason', f.reason, 'version', f.version::text) order by lower(f.during), f.id)
                   from closures f where f.clinic_id = c.id and f.during && tstzrange(${from}, ${until})),
      'absences', (select json_agg(json_build_object('id', f.id, 'from', floor(extract(epoch from lower(f.during)) * 1000)::bigint, 'until', ceil(extract(epoch from upper(f.during)) * 1000)::bigint,
                     'localFrom', f.local_from, 'localUntil', f.local_until, 'reason', f.reason, 'version', f.version::text, 'doctorId', f.doctor_id) order by lower(f.during), f.id)
                   from absences f where f.clinic_id = c.id and f.during && tstzrange(${from}, ${until})),
      'outages', (select json_agg(json_build_object('id', f.id, 'from', floor(extract(epoch from lower(f.during)) * 1000)::bigint, 'until', ceil(extract(epoch from upper(f.during)) * 1000)::bigint,
                    'localFrom', f.local_from, 'localUntil', f.local_until, 'reason', f.reason, 'version', f.version::text, 'resourceId', f.resource_id, 'units', f.units)
                    order by lower(f.during), f.id)
                  from resource_outages f where f.clinic_id = c.id and f.during && tstzrange(${from}, ${until})),
      'holidays', (select json_agg(json_build_object('date', f.on_date, 'name', f.name) order by f.on_date)
                   from holidays f where f.clinic_id = c.id and f.on_date between ${from}::date - 1 and ${until}::date + 1),
      'equipment', (select json_agg(json_build_object('id', e.id, 'ref', e.ref, 'name', e.name, 'kind', e.kind, 'quantity', e.quantity,
                      'resourceId', e.resource_id, 'resourceSeats', e.resource_seats, 'active', e.active) order by e.ref)
                    from device e),
      'treatments', (select json_agg(json_build_object('id', t.id, 'ref', t.ref, 'name', t.name, 'durationMinutes', t.duration_minutes,
                       'bufferBeforeMinutes', t.buffer_before_minutes, 'bufferAfterMinutes', t.buffer_after_minutes,
                       'providerType', t.provider_type, 'seats', t.seats, 'active', t.active) order by t.ref)
                     from treatments t where t.clinic_id = c.id),
      'needs', (select json_agg(json_build_array(n.treatment_id, n.position, n.usage_offset_minutes, n.usage_minutes, n.equipment_ids)
                                 order by n.position)
                from need n),
      'patient', (select json_build_object('id', p.id, 'ref', p.ref, 'resourceId', p.resource_id) from patient p),
      'claims', (select json_agg(json_build_array(b.resource_id, a.id, a.ref, lower(b.during), upper(b.during), b.seats, b.overridden))
                 from busy_claims(array(select w.resource_id from wanted w where not ${range.withoutClaims ?? false}::boolean), ${from}, ${until}) b
                 left join appointments a on a.id = b.appointment_id)
    ) as facts, ${beside} as beside
    from clinic c`;
  const [row] = rows;
  return row && { facts: toFacts(row.facts, range), beside: row.beside };
}

/** What the statement answers: lists are null when empty, and the many rows travel as arrays. */
type Loaded = {
  asOf: string;
  clinic: ClinicFact;
  hours: HoursFact[] | null;
  doctors: Omit<DoctorFact, "shifts">[] | null;
  shifts: [doctorId: string, weekday: number, from: string, until: string][] | null;
  breaks: BreakFact[] | null;
  closures: ClosureFact[] | null;
  absences: AbsenceFact[] | null;
  outages: OutageFact[] | null;
  holidays: HolidayFact[] | null;
  equipment: EquipmentFact[] | null;
  treatments: Omit<TreatmentFact, "needs">[] | null;
  needs: [treatmentId: string, position: number, offset: number, minutes: number | null, equipmentIds: string[]][] | null;
  patient: PatientFact | null;
  claims:
    | [
        resourceId: string,
        appointmentId: string | null,
        ref: string | null,
        from: string,
        until: string,
        seats: number | null,
        overridden: boolean,
      ][]
    | null;
};

function toFacts(loaded: Loaded, range: FactsRange): ClinicFacts {
  const period = <P extends { localFrom: string; localUntil: string }>(row: P): P => ({
    ...row,
    localFrom: row.localFrom.slice(0, 16),
    localUntil: row.localUntil.slice(0, 16),
  });
  const shiftsOf = groupBy(loaded.shifts ?? [], ([doctorId]) => doctorId);
  const needsOf = groupBy(loaded.needs ?? [], ([treatmentId]) => treatmentId);
  return {
    asOf: loaded.asOf,
    range: { from: range.from, until: range.until },
    clinic: loaded.clinic,
    hours: loaded.hours ?? [],
    doctors: (loaded.doctors ?? []).map((doctor) => ({
      ...doctor,
      shifts: (shiftsOf.get(doctor.id) ?? []).map(([, weekday, from, until]) => ({ weekday, from, until })),
    })),
    breaks: loaded.breaks ?? [],
    closures: (loaded.closures ?? []).map(period),
    holidays: loaded.holidays ?? [],
    absences: (loaded.absences ?? []).map(period),
    equipment: loaded.equipment ?? [],
    outages: (loaded.outages ?? []).map(period),
    treatments: (loaded.treatments ?? []).map((treatment) => ({ ...treatment, needs: (needsOf.get(treatment.id) ?? []).map(toNeed) })),
    patient: loaded.patient,
    claims: (loaded.claims ?? []).map(([resourceId, appointmentId, appointmentRef, from, until, seats, overridden]) => ({
      resourceId,
      appointmentId,
      appointmentRef,
      from: Date.parse(from),
      until: ceilMs(until),
      seats,
      overridden,
    })),
  };
}

/** Instants travel as text: numbers of them cost the server half of the statement. What is finer than a millisecond is rounded outward. */
const ceilMs = (instant: string): number => Date.parse(instant) + (/\.\d{3}0*[1-9]/.test(instant) ? 1 : 0);

function groupBy<T>(rows: T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

const toNeed = ([, position, usageOffsetMinutes, usageMinutes, equipmentIds]: NonNullable<Loaded["needs"]>[number]): NeedFact => ({
  position,
  usageOffsetMinutes,
  usageMinutes,
  equipmentIds,
});
