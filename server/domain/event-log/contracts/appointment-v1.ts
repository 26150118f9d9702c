import { z } from "zod";

const instant = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?Z$/, "an instant in UTC");
const localDate = z.iso.date();

/** appointment.v1, schema version 1: opaque ids and times only. No name, phone, note or free text ever enters the log. */
export const appointmentChangeV1 = z.strictObject({
  appointmentId: z.uuid(),
  appointmentRef: z.string().regex(/^APT-[0-9A-Z]{6}$/),
  /** The version this change made; equals the sequence of the event. */
  version: z.string().regex(/^[1-9]\d*$/),
  clinicId: z.uuid(),
  change: z.string().regex(/^[A-Z_]{1,40}$/),
  fromStatus: z
    .string()
    .regex(/^[A-Z_]{1,40}$/)
    .nullable(),
  toStatus: z.string().regex(/^[A-Z_]{1,40}$/),
  /** The clinic's own calendar day of the visit. */
  localDate,
  fromLocalDate: localDate.nullable(),
  startsAt: instant,
  endsAt: instant,
  fromStartsAt: instant.nullable(),
  doctorId: z.uuid(),
  fromDoctorId: z.uuid().nullable(),
  treatmentId: z.uuid(),
  reasonCode: z.string().max(60).nullable(),
});

export type AppointmentChangeV1 = z.infer<typeof appointmentChangeV1>;
