import type { Tx } from "@/db/client";
import { toIso } from "@/server/clock";
import { runCommand } from "@/server/domain/idempotency/run-command";
import type { Answer, CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { type ChangeCall, toCommand } from "./command-call";
import { findPlacement, rivalOrRethrow } from "./find-placement";
import { assertAllowed, assertReason, isSameInstant, lockVisit } from "./lock-visit";
import type { RescheduleAppointment } from "./types";
import { unchanged, writeChange } from "./write-change";

/**
 * Moves a visit: the same identity, another time or doctor, in one transaction that gives the old place back and takes the new one. A refused move
 * changes nothing. What waited for a new time is CONFIRMED with it; asked to move to where it is, a visit stays as it is (200, same version).
 */
export function rescheduleAppointment(deps: CommandDeps, call: ChangeCall, input: RescheduleAppointment): Promise<CommandAnswer> {
  return runCommand(deps, toCommand("rescheduleAppointment", call), (tx, { commandId }) => move(tx, call, input, commandId));
}

async function move(tx: Tx, call: ChangeCall, input: RescheduleAppointment, commandId: string): Promise<Answer> {
  const visit = await lockVisit(tx, call);
  const to = assertAllowed(visit, "reschedule", call);
  if (input.reasonCode) assertReason("reschedule", input.reasonCode);
  const { placement, facts } = await findPlacement(tx, call.actor, {
    clinicId: visit.clinic_id,
    treatmentId: visit.treatment_id,
    doctorId: input.doctorId ?? visit.doctor_id,
    patientId: visit.patient_id,
    startsAt: input.startsAt,
    ignoreAppointmentId: visit.id,
  });
  const isThere =
    to === visit.status && placement.doctorId === visit.doctor_id && isSameInstant(placement.startsAt, toIso(visit.starts_at));
  if (isThere) return unchanged(call, visit, commandId);
  const { reasonCode, note } = input;
  return writeChange(tx, call, visit, commandId, { change: "RESCHEDULED", to, placement, reasonCode, note }).catch((error) =>
    rivalOrRethrow(error, facts, placement),
  );
}
