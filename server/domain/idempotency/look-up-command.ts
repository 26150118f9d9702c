import { type Db, withRead } from "@/db/client";
import { AppError } from "@/server/app-error";
import { toIso } from "@/server/clock";
import type { Actor } from "@/server/domain/scope/actor";
import { callerOf } from "./key";

export type StoredCommand = {
  commandId: string;
  operation: string;
  takenAt: string;
  expiresAt: string;
  /** How often the key has arrived so far, this look-up not counted. */
  calls: number;
  answer: { status: number; body: unknown; location: string | null; etag: string | null };
};

/**
 * "What became of the command I sent under this key?" Sees the caller's own keys only. Throws AppError not-found when none is stored: it never
 * came, it is still running, or its retention is over; sending the same request again under the same key is safe in each case.
 */
export async function lookUpCommand(db: Db, actor: Actor, clinicId: string, key: string): Promise<StoredCommand> {
  const [row] = await withRead(
    db,
    actor,
    (tx) => tx.sql`
      select k.command_id, k.operation, k.created_at, k.expires_at, k.status, k.body, k.location, k.etag,
             (select count(*) from command_calls c where c.command_id = k.command_id) as calls
      from idempotency_keys k
      where k.tenant_group_id = ${actor.tenantGroupId ?? null} and k.clinic_id = ${clinicId} and k.caller = ${callerOf(actor, clinicId)}
        and k.key = ${key} and k.expires_at > clock_timestamp()`,
  );
  if (!row) throw new AppError("not-found", "No answer is stored under this key.");
  return {
    commandId: row.command_id,
    operation: row.operation,
    takenAt: toIso(row.created_at),
    expiresAt: toIso(row.expires_at),
    calls: Number(row.calls),
    answer: { status: row.status, body: JSON.parse(row.body), location: row.location, etag: row.etag },
  };
}
