import { z } from "zod";

const wellFormed = (text: string) => text.isWellFormed() && !text.includes("\u0000");
const empty = z.literal("").transform(() => undefined);

/** A person as the desk adds one. `acknowledged`: the likely duplicates that were shown and are somebody else. */
export const newPatient = z.strictObject({
  name: z.string().trim().min(1, "A name is needed.").max(120, "At most 120 characters.").refine(wellFormed, "holds half of a character"),
  phone: z
    .string()
    .trim()
    .max(40, "At most 40 characters.")
    .regex(/^[+\d\s().\-/]*$/, "Digits, spaces and + ( ) . - / only.")
    .refine((text) => (text.match(/\d/g) ?? []).length >= 5, "At least 5 digits.")
    .or(empty)
    .optional(),
  email: z.email("Not a mail address.").max(200).or(empty).optional(),
  birthDate: z.iso.date("A date such as 1980-05-17.").or(empty).optional(),
  language: z.enum(["en", "ko"]).default("en"),
  acknowledged: z.array(z.uuid()).max(20).default([]),
});
export type NewPatient = z.infer<typeof newPatient>;

/** A person as the desk sees one; for nobody else. */
export type PatientView = {
  id: string;
  ref: string;
  name: string | null;
  phone: string | null;
  email: string | null;
  birthDate: string | null;
  language: string;
  /** The clinic's date of the latest visit that took place, of the clinics in which the reader is front desk; null: none. */
  lastVisit: string | null;
};
