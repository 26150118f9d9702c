import type { Tx } from "@/db/client";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { newRef } from "@/server/ids";
import type { ReplayOperator } from "./as-replay-operator";

export type Refused = {
  requestId: string;
  /** Inbox row, or digest of what was asked for; with its version (of the row, or digest of the manifest). */
  subject: string;
  subjectVersion: string;
  /** Checks that failed or have no answer, or the one rule that stood in the way. */
  failed: readonly string[];
};

/**
 * Writes a refusal down with a number of its own and an audit entry, once for the same version and set of failed checks: looking again makes no new one.
 * Answers the number.
 */
export async function recordRefusal(tx: Tx, { actor, clinicId }: ReplayOperator, refused: Refused): Promise<string> {
  const { requestId, subject, subjectVersion } = refused;
  const failed = [...refused.failed].sort();
  const [written] = await tx.sql`
    insert into replay_refusals (tenant_group_id, clinic_id, ref, request_id, subject, subject_version, failed, actor_kind, actor_ref)
    values (${actor.tenantGroupId}, ${clinicId}, ${newRef("RF")}, ${requestId}, ${subject}, ${subjectVersion}, ${failed}::text[], 'person', ${actor.ref})
    on conflict (tenant_group_id, subject, subject_version, failed) do nothing
    returning ref`;
  if (!written) return await refOfEarlier(tx, subject, subjectVersion, failed);
  await appendAuditEntry(tx, actor, {
    act: "replay.refused",
    result: "REFUSED",
    reasonCode: failed[0] ?? "CHECK_FAILED",
    role: "APPOINTMENT_REPLAY_OPERATOR",
    clinicId,
    subjectType: "replay",
    subjectId: requestId,
    details: { refusal: written.ref, failed: failed.join(" ") },
  });
  return written.ref;
}

async function refOfEarlier(tx: Tx, subject: string, subjectVersion: string, failed: string[]): Promise<string> {
  const [row] = await tx.sql`
    select ref from replay_refusals where subject = ${subject} and subject_version = ${subjectVersion} and failed = ${failed}::text[]`;
  if (!row) throw new Error("a refusal that stood in the way of an insert cannot be seen");
  return row.ref;
}
