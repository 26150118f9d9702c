import { createHash } from "node:crypto";
import type { Tx } from "@/db/client";
import { sqlstate } from "@/db/tx-error";
import { framed } from "@/server/canonical-hash";
import { type Fingerprint, fingerprint } from "./fingerprint";
import { callerOf } from "./key";
import type { Command, CommandDeps } from "./types";

export type StoredKey = {
  commandId: string;
  fingerprint: Fingerprint;
  status: number;
  body: string;
  location: string | null;
  etag: string | null;
  expiresAt: string;
};

export type TakenKey = { outcome: "OWNER"; expiresAt: string } | { outcome: "STORED"; stored: StoredKey } | { outcome: "BUSY" };

/** Another call holds the key and the wait for its row was cut short: this transaction is over, the caller waits outside of it. */
export class KeyBusy extends Error {
  readonly name = "KeyBusy";
}

/**
 * Takes the key for `commandId`, or says who has it. One statement when the key is new or its answer known; the answer of an owner that commits
 * at this moment is read by a second one, whose snapshot is younger.
 *
 * The advisory lock lets a call that finds a running owner go away without holding a connection; it decides nothing: without it, or when two keys
 * share its hash, the primary key makes rivals meet. An expired row is taken over in the same statement.
 * Throws KeyBusy when the database gave up waiting for a rival's row.
 */
export async function takeKey(tx: Tx, deps: CommandDeps, command: Command, commandId: string): Promise<TakenKey> {
  const { actor, clinicId, key } = command;
  const caller = callerOf(actor, clinicId);
  const print = fingerprint(deps.digestKeys, command.fingerprint);
  for (let round = 0; round < 3; round++) {
    const [row] = await tx.sql`
      with known as materialized (
        select command_id, fingerprint, fingerprint_version, fingerprint_key_id, status, body, location, etag, expires_at
        from idempotency_keys
        where tenant_group_id = ${actor.tenantGroupId} and clinic_id = ${clinicId} and caller = ${caller} and key = ${key}
          and expires_at > clock_timestamp()
      ), lock as materialized (
        select case
          when exists (select from known) then false
          when ${deps.advisoryLock !== false}::boolean then pg_try_advisory_xact_lock(${lockNumber(actor.tenantGroupId, clinicId, caller, key)}::bigint)
          else true
        end as free
      ), taken as (
        insert into idempotency_keys (tenant_group_id, clinic_id, caller, key, fingerprint, fingerprint_version, fingerprint_key_id,
          command_id, operation, expires_at)
        select ${actor.tenantGroupId}::uuid, ${clinicId}::uuid, ${caller}::text, ${key}::text, ${print.digest}::text, ${print.version}::smallint,
               ${print.keyId}::text, ${commandId}::uuid, ${command.fingerprint.operation}::text,
               clock_timestamp() + make_interval(hours => ${deps.retentionHours}::int)
        from lock
        where free
        on conflict on constraint idempotency_keys_pkey do update
        set fingerprint = excluded.fingerprint, fingerprint_version = excluded.fingerprint_version,
            fingerprint_key_id = excluded.fingerprint_key_id, command_id = excluded.command_id, operation = excluded.operation,
            appointment_id = null, status = null, body = null, location = null, etag = null,
            created_at = clock_timestamp(), expires_at = excluded.expires_at
        where idempotency_keys.expires_at <= clock_timestamp()
        returning expires_at
      )
      select lock.free, taken.expires_at as taken_until, known.*
      from lock
      left join taken on true
      left join known on true`.catch(busyIfRowWaitedFor);
    if (row?.taken_until) return { outcome: "OWNER", expiresAt: row.taken_until };
    if (row?.command_id) return { outcome: "STORED", stored: toStoredKey(row) };
    if (!row?.free) return { outcome: "BUSY" };
    const stored = await readKey(tx, command);
    if (stored) return { outcome: "STORED", stored };
  }
  throw new KeyBusy("the key was neither free nor taken, three times"); // its owner rolled back in between, each time
}

/** The stored answer of a key that has not expired; undefined: none is visible, which proves nothing while a commit may be on its way. */
export async function readKey(
  tx: Tx,
  { actor, clinicId, key }: Pick<Command, "actor" | "clinicId" | "key">,
): Promise<StoredKey | undefined> {
  const [row] = await tx.sql`
    select command_id, fingerprint, fingerprint_version, fingerprint_key_id, status, body, location, etag, expires_at
    from idempotency_keys
    where tenant_group_id = ${actor.tenantGroupId} and clinic_id = ${clinicId} and caller = ${callerOf(actor, clinicId)} and key = ${key}
      and expires_at > clock_timestamp()`;
  return row && toStoredKey(row);
}

/** 64 bits of SHA-256 over the framed scope and key, as the signed number that an advisory lock takes. */
function lockNumber(...scopeAndKey: string[]): string {
  return createHash("sha256").update(framed(scopeAndKey)).digest().readBigInt64BE(0).toString();
}

function busyIfRowWaitedFor(error: unknown): never {
  if (sqlstate(error) === "55P03") throw new KeyBusy("its row is being written");
  throw error;
}

const toStoredKey = (row: Record<string, unknown>): StoredKey => ({
  commandId: row.command_id as string,
  fingerprint: { digest: row.fingerprint as string, version: row.fingerprint_version as number, keyId: row.fingerprint_key_id as string },
  status: row.status as number,
  body: row.body as string,
  location: row.location as string | null,
  etag: row.etag as string | null,
  expiresAt: row.expires_at as string,
});
