import type { Tx } from "@/db/client";

export type FoundVisit = {
  appointmentId: string;
  ref: string;
  status: string;
  /** The clinic's calendar day and wall clock. */
  localDate: string;
  localTime: string;
  patientRef: string;
};
export const foundVisitsMax = 8;

/**
 * Visits of one clinic by the reference of the visit (APT-…) or of its patient (PT-…), or by the visit's id: coming ones first, then the newest of
 * the past. Answers with references only. One statement.
 */
export async function findVisits(tx: Tx, scope: { tenantGroupId: string; clinicId: string }, typed: string): Promise<FoundVisit[]> {
  const text = typed.trim();
  const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : null;
  const ref = text.toUpperCase();
  if (!id && !/^(APT|PT)-[0-9A-Z]+$/.test(ref)) return [];
  const visits = await tx.sql<FoundVisit[]>`
    select a.id as "appointmentId", a.ref, a.status, a.local_date::text as "localDate", to_char(a.local_start, 'HH24:MI') as "localTime",
      p.ref as "patientRef"
    from appointments a
    join patients p on p.tenant_group_id = a.tenant_group_id and p.id = a.patient_id
    where a.tenant_group_id = ${scope.tenantGroupId} and a.clinic_id = ${scope.clinicId}
      and (a.id = ${id}::uuid or a.ref = ${ref} or p.ref = ${ref})
    order by a.starts_at < clock_timestamp(), abs(extract(epoch from a.starts_at - clock_timestamp())), a.id
    limit ${foundVisitsMax}`;
  return [...visits];
}
