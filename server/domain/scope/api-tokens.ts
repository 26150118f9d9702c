// API tokens, as `npm run ops -- token` makes, lists and revokes them. Runs as the migrator, who alone may look across tenant groups.
import { randomBytes } from "node:crypto";
import { type Db, withRead, withTx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { newRef } from "@/server/ids";
import type { TokenCommand } from "./actor";
import { findScope } from "./find-scope";
import { tokenHash } from "./find-token";

/** 256 random bits behind a word that a secret scanner can look for. Only its SHA-256 is stored. */
const newToken = (): string => `aops_${randomBytes(32).toString("base64url")}`;

export type NewToken = {
  tenantRef: string;
  clientName: string;
  clinicRefs: readonly string[];
  commands: readonly TokenCommand[];
  /** Days until it ends by itself; left out: it lives until it is revoked. */
  days?: number;
};

/**
 * Makes a token for a client (found by its name, else made): the client is the caller of commands, so a new token changes no key. The token itself is
 * in the answer and nowhere else. Throws AppError not-found for a reference that is not there.
 */
export function createToken(db: Db, by: string, wish: NewToken): Promise<{ token: string; tokenId: string; clientRef: string }> {
  const token = newToken();
  return withTx(db, {}, async (tx) => {
    const { tenantGroupId, clinicIds } = await findScope(tx, wish);
    const client =
      (await clientOf(tx, tenantGroupId, wish.clientName)) ??
      (
        await tx.sql<Client[]>`
          insert into api_clients (tenant_group_id, ref, name) values (${tenantGroupId}, ${newRef("AC")}, ${wish.clientName})
          returning id, ref`
      )[0];
    if (!client) throw new Error("an insert returned no row");
    const [row] = await tx.sql<{ id: string }[]>`
      insert into api_tokens (tenant_group_id, api_client_id, token_hash, clinic_ids, commands, expires_at)
      values (${tenantGroupId}, ${client.id}, ${tokenHash(token)}, ${clinicIds}::uuid[], ${[...wish.commands]}::text[],
        clock_timestamp() + make_interval(days => ${wish.days ?? null}::int))
      returning id`;
    const tokenId = row?.id as string;
    await audit(tx, {
      by,
      tenantGroupId,
      act: "api-token.created",
      tokenId,
      details: { client: client.ref, commands: wish.commands.length },
    });
    return { token, tokenId, clientRef: client.ref };
  });
}

type Client = { id: string; ref: string };
type Tx = Parameters<typeof appendAuditEntry>[0];

async function clientOf(tx: Tx, tenantGroupId: string, name: string): Promise<Client | undefined> {
  const [found] = await tx.sql<Client[]>`
    select id, ref from api_clients
    where tenant_group_id = ${tenantGroupId} and name = ${name} and disabled_at is null
    for update`;
  return found;
}

export type ListedToken = {
  id: string;
  client: string;
  clientRef: string;
  clinics: string[];
  commands: string[];
  /** live, expired, revoked or disabled (its client) */
  state: string;
  createdAt: string;
};

/** All tokens of a tenant group, newest first, without the tokens themselves: nobody can show them again. */
export function listTokens(db: Db, tenantRef: string): Promise<ListedToken[]> {
  return withRead(db, {}, async (tx) => {
    const { tenantGroupId } = await findScope(tx, { tenantRef });
    return tx.sql<ListedToken[]>`
      select t.id, c.name as client, c.ref as "clientRef", t.commands, t.created_at as "createdAt",
             (select coalesce(jsonb_agg(l.ref order by l.ref), '[]') from clinics l where l.id = any (t.clinic_ids)) as clinics,
             case when t.revoked_at is not null then 'revoked'
                  when c.disabled_at is not null then 'disabled'
                  when t.expires_at <= clock_timestamp() then 'expired'
                  else 'live' end as state
      from api_tokens t
      join api_clients c on c.id = t.api_client_id
      where t.tenant_group_id = ${tenantGroupId}
      order by t.created_at desc`;
  });
}

/** Ends a token with the next call that brings it. False: it was revoked before. Throws AppError not-found. */
export function revokeToken(db: Db, by: string, tokenId: string): Promise<boolean> {
  return withTx(db, {}, async (tx) => {
    const [row] = await tx.sql<{ tenant_group_id: string; revoked: boolean }[]>`
      select tenant_group_id, revoked_at is not null as revoked from api_tokens where id = ${tokenId} for update`;
    if (!row) throw new AppError("not-found", `There is no token ${tokenId}.`);
    if (row.revoked) return false;
    await tx.sql`update api_tokens set revoked_at = clock_timestamp() where id = ${tokenId}`;
    await audit(tx, { by, tenantGroupId: row.tenant_group_id, act: "api-token.revoked", tokenId });
    return true;
  });
}

function audit(
  tx: Tx,
  entry: { by: string; tenantGroupId: string; act: string; tokenId: string; details?: Record<string, string | number> },
): Promise<void> {
  const { by, tenantGroupId, act, tokenId, details } = entry;
  return appendAuditEntry(
    tx,
    { kind: "command-line", tenantGroupId, ref: by },
    { act, subjectType: "api-token", subjectId: tokenId, details },
  );
}
