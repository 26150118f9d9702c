import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";

/** Ids behind the short references a person typed. Throws not-found with the first reference that the tenant group does not have. */
export async function findScope(tx: Tx, refs: { tenantRef: string; clinicRefs?: readonly string[] }) {
  const [group] = await tx.sql<{ id: string }[]>`select id from tenant_groups where ref = ${refs.tenantRef}`;
  if (!group) throw new AppError("not-found", `There is no tenant group ${refs.tenantRef}.`);
  const wanted = refs.clinicRefs ?? [];
  const found = await tx.sql<{ id: string; ref: string }[]>`
    select id, ref from clinics where tenant_group_id = ${group.id} and ref = any (${[...wanted]}::text[])`;
  const clinicIds = wanted.map((ref) => {
    const clinic = found.find((row) => row.ref === ref);
    if (!clinic) throw new AppError("not-found", `There is no clinic ${ref} in ${refs.tenantRef}.`);
    return clinic.id;
  });
  return { tenantGroupId: group.id, clinicIds };
}
