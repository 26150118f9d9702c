import { type Db, withRead } from "@/db/client";
import { AppError } from "@/server/app-error";
import type { Actor } from "@/server/domain/scope/actor";
import type { AppointmentView } from "./types";
import { type AppointmentRow, toView } from "./view";

/** One visit of a clinic in scope. Throws AppError not-found, the same for an id of another clinic or tenant as for one of nobody. */
export async function getAppointment(db: Db, scope: Actor, clinicId: string, appointmentId: string): Promise<AppointmentView> {
  const [row] = await withRead(
    db,
    scope,
    (tx) => tx.sql<AppointmentRow[]>`
      select a.*, c.zone, p.ref as patient_ref,
             array(select e.equipment_id from appointment_equipment e where e.appointment_id = a.id order by e.id) as equipment_ids
      from appointments a
      join clinics c on c.id = a.clinic_id
      join patients p on p.tenant_group_id = a.tenant_group_id and p.id = a.patient_id
      where a.clinic_id = ${clinicId} and a.id = ${appointmentId}`,
  );
  if (!row) throw new AppError("not-found");
  return toView(row);
}
