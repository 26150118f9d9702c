import { type Db, withTx } from "@/db/client";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import type { Actor } from "@/server/domain/scope/actor";

/** A refusal is an act too: who tried which operation, and what was missing. In a transaction of its own, because nothing else happens. */
export function auditRefusal(
  db: Db,
  actor: Actor,
  refusal: { operation: string; reasonCode: "OUT_OF_SCOPE" | "RIGHT_MISSING"; right?: string; clinicId?: string },
): Promise<void> {
  const { operation, reasonCode, right, clinicId } = refusal;
  return withTx(db, actor, (tx) =>
    appendAuditEntry(tx, actor, {
      act: "access.refused",
      result: "REFUSED",
      reasonCode,
      clinicId,
      details: right ? { operation, right } : { operation },
    }),
  );
}
