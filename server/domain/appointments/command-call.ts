import { AppError } from "@/server/app-error";
import type { Command, CommandCall } from "@/server/domain/idempotency/types";

export type { CommandCall };

/** A call that changes a visit which exists. */
export type ChangeCall = CommandCall & {
  appointmentId: string;
  /** The version that the caller has read: If-Match. */
  expectedVersion: string;
};

/** The names of the commands: in fingerprints, calls, audit entries and the API's operation ids. */
export type AppointmentOperation = "createAppointment" | "rescheduleAppointment" | "cancelAppointment" | "changeAppointmentStatus";

export const toCommand = (operation: AppointmentOperation, call: CommandCall | ChangeCall): Command => {
  const change = "appointmentId" in call ? call : undefined;
  return {
    actor: call.actor,
    clinicId: call.clinicId,
    key: call.key,
    requestId: call.requestId,
    fingerprint: {
      method: call.method,
      operation,
      pathParams: change ? { appointmentId: change.appointmentId } : {},
      ifMatch: change?.expectedVersion ?? null,
      body: call.body,
    },
    ...(change ? { subject: { type: "appointment", id: change.appointmentId } } : {}),
  };
};

/** `"3"` → `3`. Throws AppError version-required when there is none, request-invalid for a weak, listed or foreign tag. */
export function parseIfMatch(header: string | null | undefined): string {
  if (header === null || header === undefined) throw new AppError("version-required");
  const [, version] = /^\s*"([1-9]\d{0,17})"\s*$/.exec(header) ?? [];
  if (!version) throw new AppError("request-invalid", 'If-Match must be the one ETag that was read, e.g. "3".');
  return version;
}
