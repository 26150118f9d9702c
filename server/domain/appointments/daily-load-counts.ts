import type { PendingQuery, Row } from "postgres";
import type { Tx } from "@/db/client";
import { appointmentStates } from "@/db/schema/appointments";
import type { AppointmentState } from "./states";

/** What each state adds to its day. CANCELLED and PENDING_RESCHEDULE hold no place in it. */
const counts: Record<AppointmentState, { booked: boolean; arrived: boolean; done: boolean; noShow: boolean }> = {
  REQUESTED: { booked: true, arrived: false, done: false, noShow: false },
  CONFIRMED: { booked: true, arrived: false, done: false, noShow: false },
  PENDING_RESCHEDULE: { booked: false, arrived: false, done: false, noShow: false },
  CHECKED_IN: { booked: true, arrived: true, done: false, noShow: false },
  IN_PROGRESS: { booked: true, arrived: true, done: false, noShow: false },
  COMPLETED: { booked: true, arrived: true, done: true, noShow: false },
  NO_SHOW: { booked: true, arrived: false, done: false, noShow: true },
  CANCELLED: { booked: false, arrived: false, done: false, noShow: false },
};

const statesOf = (field: "booked" | "arrived" | "done" | "noShow") => appointmentStates.filter((state) => counts[state][field]);

/**
 * The four sums as SQL over rows `c` with a status and a sign (+1 counted, -1 no longer). A visit that is done also arrived and was booked: the numbers
 * of a day read as a funnel, booked ≥ arrived ≥ done.
 */
export const countedByState = (tx: Tx): PendingQuery<Row[]> => tx.sql`
  coalesce(sum(c.sign) filter (where c.status = any(${statesOf("booked")}::text[])), 0)::int as booked,
  coalesce(sum(c.sign) filter (where c.status = any(${statesOf("arrived")}::text[])), 0)::int as arrived,
  coalesce(sum(c.sign) filter (where c.status = any(${statesOf("done")}::text[])), 0)::int as done,
  coalesce(sum(c.sign) filter (where c.status = any(${statesOf("noShow")}::text[])), 0)::int as no_show`;
