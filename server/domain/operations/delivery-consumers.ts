import type { Tx } from "@/db/client";
import type { OperationsScope } from "./types";

/** A logical consumer and the topic that its rows came from. */
export type DeliveryConsumer = { consumer: string; topic: string };

/** Logical consumers that have a row in these clinics, by name. Walks the index from name to name instead of reading every row. */
export async function deliveryConsumers(tx: Tx, scope: OperationsScope): Promise<DeliveryConsumer[]> {
  return tx.sql<DeliveryConsumer[]>`
    with recursive named as (
      (select consumer from inbox order by consumer limit 1)
      union all
      select (select i.consumer from inbox i where i.consumer > named.consumer order by i.consumer limit 1)
      from named
      where named.consumer is not null
    )
    select named.consumer, own.topic
    from named
    cross join lateral (
      select i.topic
      from inbox i
      where i.consumer = named.consumer
        and i.tenant_group_id = ${scope.tenantGroupId} and i.clinic_id = any (${[...scope.clinicIds]}::uuid[])
      limit 1) own
    order by named.consumer`;
}
