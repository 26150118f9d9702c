import type { Tx } from "@/db/client";

/**
 * Commands that are not about a visit's way through delivery: what STAFF do to a row, practise or calculate has its history where it was done, and a
 * repeat of it is no duplicate of the business. Facts of the desk (absences, closures) are published and delivered like bookings, and stay in.
 */
const leftOut = ["delivery.%", "drill.%", "planning.%"];

/** Whether an operation of `command_calls` counts in tiles, queue and list of stories. `column`: the operation, as the statement names it. */
export const isOfBusiness = (tx: Tx, column: "operation" | "c.operation") => tx.sql`${tx.sql(column)} not like all (${leftOut}::text[])`;
