import type { Tx } from "@/db/client";
import { newRef, newUuid } from "@/server/ids";

/**
 * Keeps a person whom an API caller knows by a reference of its own: without a name. Two callers that bring the same new reference at once meet on
 * its unique key (patients_external_key), and the later transaction starts again and finds the row.
 * @returns the patient's id
 */
export async function addReferencedPatient(tx: Tx, tenantGroupId: string, externalReference: string): Promise<string> {
  const id = newUuid();
  const resourceId = newUuid();
  await tx.sql`
    with resource as (
      insert into resources (id, tenant_group_id, kind, seats)
      values (${resourceId}, ${tenantGroupId}, 'PATIENT', 1)
    )
    insert into patients (id, tenant_group_id, ref, resource_id, external_reference)
    values (${id}, ${tenantGroupId}, ${newRef("PT")}, ${resourceId}, ${externalReference})`;
  return id;
}
