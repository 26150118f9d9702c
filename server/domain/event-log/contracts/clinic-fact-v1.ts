import { z } from "zod";

const instant = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?Z$/, "an instant in UTC");
const counter = z.string().regex(/^[1-9]\d*$/);

/** clinic-fact.v1, schema version 1: which fact changed and when it holds; no reason, no name, nothing about a patient. */
export const clinicFactChangeV1 = z.strictObject({
  clinicId: z.uuid(),
  fact: z.enum(["ABSENCE", "CLOSURE", "OUTAGE", "BREAK", "HOURS"]),
  change: z.enum(["ADDED", "CHANGED", "ENDED"]),
  /** Of the row; for weekly hours of the clinic or the doctor that has them. */
  factId: z.uuid(),
  doctorId: z.uuid().nullable(),
  equipmentId: z.uuid().nullable(),
  /** From the earlier start to the later end of what was and what is; null: it holds every week. */
  from: instant.nullable(),
  until: instant.nullable(),
  /** The counter of the clinic's planning scope after the change: what was calculated from a smaller one has not seen it. */
  factVersion: counter,
});

export type ClinicFactChangeV1 = z.infer<typeof clinicFactChangeV1>;
