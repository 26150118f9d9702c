import type { Tx } from "@/db/client";
import type { Scope } from "./types";

export type ClinicSummary = { id: string; ref: string; name: string; zone: string; gridMinutes: number };

/** The clinics that the actor may see, by reference. One statement. */
export async function listClinics(tx: Tx, scope: Scope): Promise<ClinicSummary[]> {
  return tx.sql<ClinicSummary[]>`
    select id, ref, name, zone, grid_minutes as "gridMinutes"
    from clinics
    where tenant_group_id = ${scope.tenantGroupId ?? null}::uuid
      and id = any (${[...(scope.clinicIds ?? [])]}::uuid[])
    order by ref`;
}
