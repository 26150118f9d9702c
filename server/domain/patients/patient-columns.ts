import type { Tx } from "@/db/client";
import { type Actor, clinicsWithRole } from "@/server/domain/scope/actor";

/** The columns of a PatientView, of `patients` under the name p. The latest visit is one of the clinics in which the reader is front desk. */
export function patientColumns(tx: Tx, actor: Actor) {
  const desks = actor.kind === "person" ? clinicsWithRole(actor, "FRONT_DESK") : [];
  return tx.sql`
    p.id, p.ref, p.name, p.phone, p.email, p.birth_date as "birthDate", p.language,
    (select a.local_date
     from appointments a
     where a.tenant_group_id = p.tenant_group_id and a.patient_id = p.id and a.clinic_id = any (${desks}::uuid[])
       and a.status in ('CHECKED_IN', 'IN_PROGRESS', 'COMPLETED') and a.starts_at < clock_timestamp()
     order by a.starts_at desc
     limit 1) as "lastVisit"`;
}
