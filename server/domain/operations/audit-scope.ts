import type { Tx } from "@/db/client";
import type { AuditScope } from "./audit-types";
import type { OperationsScope } from "./types";

/** The reader's scope for the audit: without a chosen clinic, acts on the tenant group belong to it, and days begin where its first clinic is. */
export async function auditScope(tx: Tx, scope: OperationsScope, clinic: string | undefined): Promise<AuditScope> {
  const [first] = await tx.sql<{ zone: string }[]>`
    select zone from clinics where id = any (${[...scope.clinicIds]}::uuid[]) order by ref limit 1`;
  return { ...scope, withGroup: clinic === undefined, zone: first?.zone ?? "UTC" };
}
