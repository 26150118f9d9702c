import type { Tx } from "@/db/client";

/** Notes which placement the patient has last been told of. Never steps back: an older message that arrives late tells nothing newer. */
export async function markTold(tx: Tx, appointmentId: string, placementVersion: string): Promise<void> {
  await tx.sql`
    update appointments
    set told_placement_version = ${placementVersion}
    where id = ${appointmentId} and coalesce(told_placement_version, 0) < ${placementVersion}`;
}
