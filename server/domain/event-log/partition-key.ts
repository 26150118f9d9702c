/**
 * The key of a record: tenant, clinic and aggregate, each with its length before it, so that no two lists of ids make one key.
 * Facts and policies of a clinic leave the aggregate out: they share one order. Decides the partition, and with it the order.
 */
export function partitionKey(tenantGroupId: string, clinicId: string, aggregateId?: string): string {
  const parts = aggregateId === undefined ? [tenantGroupId, clinicId] : [tenantGroupId, clinicId, aggregateId];
  return parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join("/");
}
