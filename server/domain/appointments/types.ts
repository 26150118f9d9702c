import { z } from "zod";
import { appointmentStates } from "@/db/schema/appointments";
import { parseWallClock } from "@/server/domain/clinics/local-time";
import { reasonCodes } from "./states";

/** One spelling for one identity: canonical lower case. */
export const uuid = z.uuid().regex(/^[0-9a-f-]{36}$/, "must be lower case");
const wellFormed = (text: string) => text.isWellFormed() && !text.includes("\u0000");
const instant = z.iso
  .datetime({ offset: true, error: "must be a date and time with its offset, e.g. 2027-02-09T10:00:00+01:00" })
  .max(40)
  .refine((text) => text >= "2000" && text < "2100" && Number.isFinite(Date.parse(text)), "is no date between 2000 and 2099");
const wallClock = z
  .string()
  .regex(/^20\d{2}-\d{2}-\d{2}T\d{2}:\d{2}$/)
  .refine((text) => parseWallClock(text) !== undefined, "is no date and time");
const start = z
  .union([instant, wallClock], { error: "must be a date and time with its offset, or on the clinic's clock, e.g. 2027-02-09T10:00" })
  .describe("An instant with its offset, or a time on the clinic's clock. A time that the clock shows twice needs the offset.");
const note = z.string().max(500).refine(wellFormed, "holds half of a character").describe("For the visit's own history; leaves it never.");

export const externalReference = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine(wellFormed, "holds half of a character")
  .describe("The caller's own reference of a person; an opaque id, never a name.");

export const createAppointment = z.strictObject({
  patient: z.union([z.strictObject({ id: uuid }), z.strictObject({ externalReference })]),
  treatmentId: uuid,
  doctorId: z.union([uuid, z.literal("any")]).default("any"),
  startsAt: start,
  note: note.optional(),
});
export type CreateAppointment = z.infer<typeof createAppointment>;

export const rescheduleAppointment = z.strictObject({
  startsAt: start,
  doctorId: z
    .union([uuid, z.literal("any")])
    .optional()
    .describe("Left out: the same doctor."),
  reasonCode: z.enum(reasonCodes.reschedule).optional(),
  note: note.optional(),
});
export type RescheduleAppointment = z.infer<typeof rescheduleAppointment>;

export const cancelAppointment = z.strictObject({ reasonCode: z.enum(reasonCodes.cancel), note: note.optional() });
export type CancelAppointment = z.infer<typeof cancelAppointment>;

/** Cancelling and moving are commands of their own. */
export const changeStatus = z.strictObject({
  to: z.enum(["CONFIRMED", "PENDING_RESCHEDULE", "CHECKED_IN", "IN_PROGRESS", "COMPLETED", "NO_SHOW"]),
  reasonCode: z
    .enum([...new Set([...reasonCodes.release, ...reasonCodes.undo])])
    .optional()
    .describe("Needed to give a time back and to undo."),
  note: note.optional(),
});
export type ChangeStatus = z.infer<typeof changeStatus>;

/** A visit as every answer shows it: ids, states and times; the person by reference only. */
export const appointmentView = z.object({
  id: z.uuid(),
  ref: z.string(),
  version: z.string().describe("Also the ETag; send it as If-Match."),
  status: z.enum(appointmentStates),
  clinicId: z.uuid(),
  patientId: z.uuid(),
  patientRef: z.string(),
  doctorId: z.uuid(),
  treatmentId: z.uuid(),
  startsAt: z.string().describe("Instant in UTC."),
  endsAt: z.string(),
  zone: z.string().describe("IANA zone of the clinic."),
  localDate: z.string().describe("The clinic's calendar day."),
  localStart: z.string().describe("The clinic's wall clock."),
  utcOffsetSeconds: z.int(),
  equipmentIds: z.array(z.uuid()),
});
export type AppointmentView = z.infer<typeof appointmentView>;

export const appointmentAnswer = appointmentView.extend({ commandId: z.uuid() });
