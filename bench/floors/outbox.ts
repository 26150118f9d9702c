import type { Tx } from "@/db/client";
import { type NewEvent, outboxValues } from "@/server/domain/outbox/append-event";

export type BareRow = ReturnType<typeof outboxValues>;

/** The row is made outside of the measurement: what is left is one insert. */
export const bareRow = (event: NewEvent): BareRow => outboxValues(event);

/** Floor of the append: one bare insert of the same row, inside the same withTx. */
export async function insertOutboxRow(tx: Tx, row: BareRow): Promise<void> {
  await tx.sql`
    insert into outbox (event_id, tenant_group_id, clinic_id, command_id, topic, partition_key, aggregate_type, aggregate_id, aggregate_seq, type,
      schema_version, payload, traceparent)
    values (${row.eventId}, ${row.tenantGroupId}, ${row.clinicId}, ${row.commandId}, ${row.topic}, ${row.partitionKey}, ${row.aggregateType},
      ${row.aggregateId}, ${row.aggregateSeq}, ${row.type}, ${row.schemaVersion}, ${row.payload}, ${row.traceparent})`;
}
