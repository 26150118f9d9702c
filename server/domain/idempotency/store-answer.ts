import type { Tx } from "@/db/client";
import { type AuditEntry, appendAuditEntrySql } from "@/server/domain/audit/append-audit-entry";
import { actorIdentity } from "@/server/domain/scope/actor";
import { callerOf } from "./key";
import type { Command } from "./types";

export type AnswerToStore = {
  status: number;
  body: string;
  location: string | null;
  etag: string | null;
  appointmentId: string | null;
  audit: AuditEntry;
};

/** One statement: the answer under its key, the first call in the list of calls, and the audit entry. Throws when the key is not ours any more. */
export async function storeAnswer(tx: Tx, command: Command, commandId: string, answer: AnswerToStore, durationMs: number): Promise<void> {
  const { actor, clinicId, key } = command;
  const { kind, id } = actorIdentity(actor);
  const caller = callerOf(actor, clinicId);
  const rows = await tx.sql`
    with answered as (
      update idempotency_keys
      set status = ${answer.status}, body = ${answer.body}, location = ${answer.location}, etag = ${answer.etag},
          appointment_id = ${answer.appointmentId}
      where tenant_group_id = ${actor.tenantGroupId} and clinic_id = ${clinicId} and caller = ${caller} and key = ${key}
        and command_id = ${commandId} and status is null
      returning command_id
    ), called as (
      insert into command_calls (tenant_group_id, clinic_id, caller, key, operation, command_id, outcome, status, actor_kind, actor_id,
        request_id, called_at, duration_ms)
      values (${actor.tenantGroupId}, ${clinicId}, ${caller}, ${key}, ${command.fingerprint.operation}, ${commandId}, 'FIRST', ${answer.status},
        ${kind}, ${id}, ${command.requestId}, clock_timestamp() - make_interval(secs => ${durationMs / 1000}::float8), ${Math.round(durationMs)})
    ), audited as (${appendAuditEntrySql(tx, actor, { ...answer.audit, clinicId, commandId })})
    select command_id from answered`;
  // what row-level security hides is no error in an update: look at what came back
  if (rows.length !== 1) throw new Error("the key that this command had taken is gone");
}
