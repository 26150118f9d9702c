import type { Tx } from "@/db/client";
import type { PersonActor } from "@/server/domain/scope/actor";
import { appendAuditEntry } from "./append-audit-entry";

/**
 * Asks the sealer, who sees entries of all clinics, to check the chain of the actor's tenant group. One request at a time: a second one joins the
 * open one and is no act of its own.
 */
export async function requestVerification(tx: Tx, actor: PersonActor): Promise<{ isNew: boolean }> {
  const rows = await tx.sql`
    insert into audit_verifications (tenant_group_id, requested_by)
    values (${actor.tenantGroupId}, ${actor.ref})
    on conflict (tenant_group_id) where state = 'REQUESTED' do nothing
    returning id`;
  const isNew = rows.length > 0;
  await appendAuditEntry(tx, actor, { act: "audit.verification-requested", result: isNew ? "DONE" : "NO_CHANGE" });
  return { isNew };
}
