import type { Tx } from "@/db/client";
import type { PlacedVisit } from "./affected-by";
import { toIso } from "./local-time";

type Asked = {
  clinicId: string;
  /** Epoch milliseconds; `until` null: to the last one. */
  from: number;
  until: number | null;
  doctorId?: string | null;
  /** Those that use this device or room, with the times at which they do. */
  resourceId?: string | null;
};
type Row = Omit<PlacedVisit, "from" | "until" | "uses"> & { uses: [from: number, until: number][] | null };

/** Visits that hold a place in that time, by start. One statement; row-level security keeps the clinic. */
export async function placedVisits(tx: Tx, asked: Asked): Promise<PlacedVisit[]> {
  const { clinicId, doctorId = null, resourceId = null } = asked;
  const [from, until] = [toIso(asked.from), asked.until === null ? "infinity" : toIso(asked.until)];
  const lastDate = asked.until === null ? "infinity" : toIso(asked.until + 86_400_000).slice(0, 10);
  const rows = await tx.sql<Row[]>`
    select a.id, a.ref, a.status, to_char(a.starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "startsAt",
           to_char(a.ends_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "endsAt", a.doctor_id as "doctorId", p.ref as "patientRef",
           (select json_agg(json_build_array(floor(extract(epoch from lower(c.during)) * 1000)::bigint, ceil(extract(epoch from upper(c.during)) * 1000)::bigint))
            from resource_claims c
            where c.appointment_id = a.id and c.resource_id = ${resourceId}::uuid and not c.overridden) as uses
    from appointments a
    join patients p on p.tenant_group_id = a.tenant_group_id and p.id = a.patient_id
    where a.clinic_id = ${clinicId}::uuid
      and a.local_date between ${from}::date - 2 and ${lastDate}::date -- index appointments_day; no visit is longer than a day
      and a.status in ('REQUESTED', 'CONFIRMED', 'CHECKED_IN', 'IN_PROGRESS')
      and a.starts_at < ${until}::timestamptz
      and a.ends_at > ${from}::timestamptz
      and (${doctorId}::uuid is null or a.doctor_id = ${doctorId}::uuid)
      and (${resourceId}::uuid is null or exists (select from resource_claims c where c.appointment_id = a.id and c.resource_id = ${resourceId}::uuid))
    order by a.starts_at, a.id`;
  return rows.map(({ uses, ...visit }) => ({
    ...visit,
    from: Date.parse(visit.startsAt),
    until: Date.parse(visit.endsAt),
    uses: resourceId === null ? [] : (uses ?? []).map(([start, end]) => ({ resourceId, from: start, until: end })),
  }));
}
