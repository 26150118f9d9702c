import type { Tx } from "@/db/client";
import type { OperationsScope } from "./types";

/** Logical consumers that have a row in these clinics, by name. Walks the index from name to name instead of reading every row. */
export async function deliveryConsumers(tx: Tx, scope: OperationsScope): Promise<string[]> {
  const rows = await tx.sql<{ consumer: string }[]>`
    with recursive named as (
      (select consumer from inbox order by consumer limit 1)
      union all
      select (select i.consumer from inbox i where i.consumer > named.consumer order by i.consumer limit 1)
      from named
      where named.consumer is not null
    )
    select consumer
    from named
    where consumer is not null
      and exists (select from inbox i where i.consumer = named.consumer
        and i.tenant_group_id = ${scope.tenantGroupId} and i.clinic_id = any (${[...scope.clinicIds]}::uuid[]))
    order by consumer`;
  return rows.map((row) => row.consumer);
}
