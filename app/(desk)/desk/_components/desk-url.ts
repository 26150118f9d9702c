import { createLoader, parseAsBoolean, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { type AppointmentState, moves } from "@/server/domain/appointments/states";

/** What the desk shows stands in the URL; never a name and never a patient. */
export const deskParsers = {
  clinic: parseAsString,
  date: parseAsString,
  view: parseAsStringLiteral(["day", "week"]).withDefault("day"),
  /** Filters: the id of a doctor, a state. */
  doctor: parseAsString,
  state: parseAsStringLiteral(Object.keys(moves) as AppointmentState[]),
  /** The open visit. */
  visit: parseAsString,
  /** The booking drawer. */
  book: parseAsBoolean.withDefault(false),
  /** The visit that is being moved. */
  move: parseAsString,
};
export const loadDeskUrl = createLoader(deskParsers);

/** A calendar date, or null: then the clinic's today. */
export function dateOf(text: string | null): string | null {
  return text && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;
}
