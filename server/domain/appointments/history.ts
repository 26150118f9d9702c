import { z } from "zod";
import { type Db, withRead } from "@/db/client";
import { appointmentStates } from "@/db/schema/appointments";
import { AppError } from "@/server/app-error";
import { toIso } from "@/server/clock";
import { type Actor, hasRole } from "@/server/domain/scope/actor";
import { changes } from "./events";

export const historyEntry = z.object({
  version: z.string(),
  change: z.enum(changes),
  at: z.string().describe("Instant in UTC."),
  fromStatus: z.enum(appointmentStates).nullable(),
  toStatus: z.enum(appointmentStates),
  fromStartsAt: z.string().nullable(),
  toStartsAt: z.string(),
  fromDoctorId: z.uuid().nullable(),
  toDoctorId: z.uuid(),
  actorKind: z.enum(["person", "token", "worker"]),
  actorRef: z.string(),
  source: z.enum(["DESK", "API", "IMPORT", "WORKER"]),
  reasonCode: z.string().nullable(),
  note: z.string().nullable().describe("Free text of the desk; null for everybody but the clinic's front desk."),
  commandId: z.uuid(),
});
export type HistoryEntry = z.infer<typeof historyEntry>;

/** Every change of a visit, oldest first: old and new place, who, from which side, why. Throws AppError not-found. */
export async function appointmentHistory(db: Db, scope: Actor, clinicId: string, appointmentId: string): Promise<HistoryEntry[]> {
  const seesNotes = hasRole(scope, "FRONT_DESK", clinicId);
  const rows = await withRead(
    db,
    scope,
    (tx) => tx.sql`
      select h.*
      from appointment_history h
      where h.clinic_id = ${clinicId} and h.appointment_id = ${appointmentId}
      order by h.version`,
  );
  if (rows.length === 0) throw new AppError("not-found");
  return rows.map((row) => ({
    version: row.version,
    change: row.change,
    at: toIso(row.at),
    fromStatus: row.from_status,
    toStatus: row.to_status,
    fromStartsAt: row.from_starts_at && toIso(row.from_starts_at),
    toStartsAt: toIso(row.to_starts_at),
    fromDoctorId: row.from_doctor_id,
    toDoctorId: row.to_doctor_id,
    actorKind: row.actor_kind,
    actorRef: row.actor_ref,
    source: row.source,
    reasonCode: row.reason_code,
    note: seesNotes ? row.note : null,
    commandId: row.command_id,
  }));
}
