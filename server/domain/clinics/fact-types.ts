import { z } from "zod";
import { isDate, parseWallClock } from "./local-time";

/** Facts that the desk adds, changes and ends; weekly hours are replaced as a whole (change-hours.ts). */
export const factKinds = ["absence", "closure", "outage", "break"] as const;
export type FactKind = (typeof factKinds)[number];

const uuid = z.uuid().regex(/^[0-9a-f-]{36}$/, "must be lower case");
const wellFormed = (text: string) => text.isWellFormed() && !text.includes("\u0000");
const words = (max: number) => z.string().trim().min(1).max(max).refine(wellFormed, "holds half of a character");
const bound = z
  .string()
  .regex(/^20\d{2}-\d{2}-\d{2}(T\d{2}:\d{2})?$/, "must be a date, or a time on the clinic's clock, e.g. 2027-02-09T10:00")
  .refine((text) => isDate(text) || parseWallClock(text) !== undefined, "is no date and time");
const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of the day, e.g. 09:30");
const weekday = z.int().min(1).max(7).describe("1 = Monday … 7 = Sunday.");

const period = {
  from: bound.describe("On the clinic's clock; a date alone: from its first moment."),
  until: bound.describe("On the clinic's clock; a date alone: to the end of it."),
};
const interval = { from: clock, until: clock.describe("At or before `from`: on the next day.") };

export const absenceInput = z.strictObject({ doctorId: uuid, ...period, reason: words(200).optional() });
export const closureInput = z.strictObject({ ...period, reason: words(200).optional() });
export const outageInput = z.strictObject({
  equipmentId: uuid,
  ...period,
  units: z.int().min(1).max(1_000).optional().describe("Left out: all there are."),
  reason: words(200).optional(),
});
export const breakInput = z.strictObject({
  doctorId: uuid.nullable().default(null).describe("null: everybody."),
  weekday: weekday.nullable().default(null).describe("null: every day."),
  ...interval,
  label: words(60).optional(),
});
export const hoursInput = z.strictObject({
  hours: z
    .array(z.strictObject({ weekday, ...interval }))
    .max(70)
    .describe("All of them: what is left out is not open any more."),
});

export const factInputs = { absence: absenceInput, closure: closureInput, outage: outageInput, break: breakInput } as const;
export type FactInputs = { [K in FactKind]: z.infer<(typeof factInputs)[K]> };
export const factWish = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("absence"), input: absenceInput }),
  z.strictObject({ kind: z.literal("closure"), input: closureInput }),
  z.strictObject({ kind: z.literal("outage"), input: outageInput }),
  z.strictObject({ kind: z.literal("break"), input: breakInput }),
]);
/** One fact as it is to be. */
export type FactWish = z.infer<typeof factWish>;
export type HoursInput = z.infer<typeof hoursInput>;

const affectedVisit = z.object({
  id: z.uuid(),
  ref: z.string(),
  status: z.string(),
  startsAt: z.string().describe("Instant in UTC."),
  endsAt: z.string(),
  doctorId: z.uuid(),
  patientRef: z.string(),
});
export type AffectedVisit = z.infer<typeof affectedVisit>;

/** Visits that cannot take place as they stand, the earliest first. Nothing is moved by saving a fact. */
export const affectedView = z.object({
  count: z.int(),
  visits: z.array(affectedVisit).describe("The first 200."),
  days: z
    .array(z.object({ date: z.iso.date(), visits: z.int() }))
    .describe("All of them, by the clinic's date on which they begin, the earliest first."),
});
export type AffectedView = z.infer<typeof affectedView>;

/** A fact as every answer shows it. Why somebody is absent stays at the desk. */
export const factView = z.object({
  id: z.uuid(),
  clinicId: z.uuid(),
  version: z.string().describe("Also the ETag; send it as If-Match."),
  state: z.enum(["IN_FORCE", "ENDED"]),
  doctorId: z.uuid().nullable(),
  equipmentId: z.uuid().nullable(),
  units: z.int().nullable(),
  weekday: z.int().nullable(),
  from: z.string().describe("The clinic's wall clock; of a break the time of the day."),
  until: z.string(),
  fromInstant: z.string().nullable().describe("null: it holds every week."),
  untilInstant: z.string().nullable(),
});
export type FactView = z.infer<typeof factView>;

export const factAnswer = factView.extend({ affected: affectedView, factVersion: z.string(), commandId: z.uuid() });

export const hoursView = z.object({
  clinicId: z.uuid(),
  doctorId: z.uuid().nullable(),
  version: z.string().describe("Also the ETag; send it as If-Match."),
  hours: z.array(z.object({ weekday: z.int(), from: z.string(), until: z.string() })),
});
export type HoursView = z.infer<typeof hoursView>;
export const hoursAnswer = hoursView.extend({ affected: affectedView, factVersion: z.string(), commandId: z.uuid() });

/** Why a fact cannot be like that: `why` of the problem fact-invalid. */
export const factFaults = {
  PERIOD_EMPTY: "The end must come after the start.",
  PERIOD_TOO_LONG: "A period lasts two years at most: enter the rest when it comes.",
  OVER_ALREADY: "That time is over: it would change nothing.",
  DOCTOR_UNKNOWN: "No active doctor of the clinic has this identity.",
  EQUIPMENT_UNKNOWN: "No active device or room of the clinic has this identity.",
  UNITS_TOO_MANY: "More units than there are cannot be out.",
  INTERVAL_EMPTY: "A break needs an end that is not its start.",
  HOURS_OVERLAP: "Two of the intervals overlap.",
} as const;
export type FactFault = keyof typeof factFaults;
