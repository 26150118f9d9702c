import { type Db, withTx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { mayCommand, type TokenActor, type TokenCommand } from "@/server/domain/scope/actor";
import { isUuid } from "@/server/ids";
import type { ApiCall } from "../http-handler";

/**
 * Runs an operation in a clinic for a token that may: before any key, version or row is looked at, so that somebody without the right cannot tell
 * what exists. A clinic out of scope and one that does not exist are the same 404; a missing right in one's own clinic is named.
 * Both refusals are audited, as is an id that leads nowhere.
 */
export async function inClinic<P, T>(
  call: ApiCall<P>,
  clinicId: string,
  right: TokenCommand,
  subjectId: string | undefined,
  operate: () => Promise<T>,
): Promise<T> {
  const { actor, db } = call;
  try {
    if (!actor.clinicIds.includes(clinicId)) throw new AppError("not-found");
    if (!mayCommand(actor, right)) throw new AppError("right-missing", undefined, { right });
    if (subjectId !== undefined && !isUuid(subjectId)) throw new AppError("not-found");
    return await operate();
  } catch (error) {
    if (error instanceof AppError && (error.code === "not-found" || error.code === "right-missing"))
      await auditRefusal(db, actor, clinicId, subjectId, error);
    throw error;
  }
}

/** In a transaction of its own: the refused call has none, or one that was undone. */
function auditRefusal(db: Db, actor: TokenActor, clinicId: string, subjectId: string | undefined, refusal: AppError): Promise<void> {
  return withTx(db, actor, (tx) =>
    appendAuditEntry(tx, actor, {
      act: "api.refused",
      result: "REFUSED",
      reasonCode: refusal.code,
      clinicId: actor.clinicIds.includes(clinicId) ? clinicId : null,
      ...(subjectId !== undefined && isUuid(subjectId) ? { subjectType: "appointment", subjectId } : {}),
      ...(typeof refusal.extra.right === "string" ? { details: { right: refusal.extra.right } } : {}),
    }),
  );
}
