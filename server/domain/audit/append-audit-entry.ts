import type { PendingQuery, Row } from "postgres";
import type { Tx } from "@/db/client";
import { type Actor, actorIdentity, type CommandLineActor, heldRole, type Role } from "@/server/domain/scope/actor";

export const auditResultCodes = ["DONE", "REFUSED", "NO_CHANGE", "STALE_REJECTED"] as const;
export type AuditResult = (typeof auditResultCodes)[number];
export type AuditEntry = {
  /** Subject and verb, e.g. `appointment.created`, `session.signed-in`. */
  act: string;
  result?: AuditResult;
  reasonCode?: string;
  /** What a member of STAFF typed as the reason; 500 characters at most. */
  reason?: string;
  /** The role that allowed the act; without it the strongest one that the person holds there. */
  role?: Role;
  clinicId?: string | null;
  subjectType?: string;
  subjectId?: string;
  commandId?: string;
  /** Opaque references and counts only; never a name, a payload or free text. */
  details?: Record<string, string | number | boolean | null>;
  /** Written once for this key and actor, however often it is asked for. */
  onceKey?: string;
};

/** Writes who did what into the act's own transaction: if it cannot be written, the act does not happen. Needs an actor with a tenant group. */
export async function appendAuditEntry(tx: Tx, actor: Actor | CommandLineActor, entry: AuditEntry): Promise<void> {
  await appendAuditEntrySql(tx, actor, entry);
}

/** The same insert as a part of a larger statement: with …, audited as (${appendAuditEntrySql(tx, actor, entry)}) … */
export function appendAuditEntrySql(tx: Tx, actor: Actor | CommandLineActor, entry: AuditEntry): PendingQuery<Row[]> {
  const { kind, id, ref } = actorIdentity(actor);
  if (!actor.tenantGroupId) throw new Error("an audit entry belongs to a tenant group");
  const role = entry.role ?? heldRole(actor, entry.clinicId ?? null);
  return tx.sql`
    insert into audit_entries (tenant_group_id, clinic_id, actor_kind, actor_id, actor_ref, actor_role, act, result, reason_code, reason,
      subject_type, subject_id, command_id, details, once_key)
    values (${actor.tenantGroupId}, ${entry.clinicId ?? null}, ${kind}, ${id}, ${ref}, ${role}, ${entry.act}, ${entry.result ?? "DONE"},
      ${entry.reasonCode ?? null}, ${entry.reason ?? null}, ${entry.subjectType ?? null}, ${entry.subjectId ?? null}, ${entry.commandId ?? null},
      ${JSON.stringify(entry.details ?? {})}::jsonb, ${entry.onceKey ?? null})
    on conflict (tenant_group_id, actor_id, once_key) where once_key is not null do nothing`;
}
