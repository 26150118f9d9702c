// Visits written past every check but the database's own: for tests that need a busy calendar, or that try to book what must not be.
import type { Tx } from "@/db/client";
import { newRef, newUuid } from "@/server/ids";
import type { ClinicKey } from "./set-up";
import type { Placement } from "./types";

export type BareVisit = { treatmentId: string; patientId: string; placement: Placement; status?: string };

/** One statement for the visit and its equipment, one for its claims (in the order of the resources). Throws 23P01 when a limit is exceeded. */
export async function insertBareVisit(tx: Tx, clinic: ClinicKey, visit: BareVisit): Promise<{ id: string; ref: string }> {
  const { placement } = visit;
  const [id, ref] = [newUuid(), newRef("APT")];
  const keys = { tenant_group_id: clinic.tenantGroupId, clinic_id: clinic.id };
  await tx.sql`
    insert into appointments ${tx.sql({
      id,
      ...keys,
      ref,
      status: visit.status ?? "CONFIRMED",
      patient_id: visit.patientId,
      doctor_id: placement.doctorId,
      treatment_id: visit.treatmentId,
      starts_at: placement.startsAt,
      ends_at: placement.endsAt,
      local_date: placement.localDate,
      local_start: placement.localStart,
      utc_offset_seconds: placement.utcOffsetSeconds,
      source: "IMPORT",
      command_id: newUuid(),
    })}`;
  const equipment = placement.equipment.map(({ equipmentId, during }) => ({
    ...keys,
    appointment_id: id,
    equipment_id: equipmentId,
    during,
  }));
  if (equipment.length > 0) await tx.sql`insert into appointment_equipment ${tx.sql(equipment)}`;
  await insertBareClaims(tx, clinic, id, placement.claims);
  return { id, ref };
}

export async function insertBareClaims(tx: Tx, clinic: ClinicKey, appointmentId: string, claims: Placement["claims"]): Promise<void> {
  const rows = claims.map(({ resourceId, fromIso, untilIso, seats }) => ({
    tenant_group_id: clinic.tenantGroupId,
    clinic_id: clinic.id,
    appointment_id: appointmentId,
    resource_id: resourceId,
    during: `[${fromIso},${untilIso})`,
    seats,
  }));
  if (rows.length > 0) await tx.sql`insert into resource_claims ${tx.sql(rows)}`;
}
