import { createHash } from "node:crypto";
import type { Db } from "@/db/client";
import { type TokenActor, type TokenCommand, tokenCommands } from "./actor";

/** What is stored of a token. It is 256 random bits, so there is nothing to guess and a fast hash is enough. */
export const tokenHash = (token: string): string => createHash("sha256").update(token).digest("hex");

/**
 * The actor of a live token, or undefined when it is unknown, expired, revoked or its client is disabled.
 * Asks the one function that may look before a tenant is known (migration 0001), outside any transaction.
 */
export async function findToken(db: Db, token: string): Promise<TokenActor | undefined> {
  const [row] = await db.$client<TokenRow[]>`select * from auth_find_token(${tokenHash(token)})`;
  if (!row) return undefined;
  return {
    kind: "token",
    tenantGroupId: row.tenant_group_id,
    clinicIds: row.clinic_ids,
    clientId: row.api_client_id,
    tokenId: row.id,
    ref: row.client_ref,
    commands: tokenCommands.filter((command): command is TokenCommand => row.commands.includes(command)),
  };
}

type TokenRow = {
  id: string;
  tenant_group_id: string;
  api_client_id: string;
  client_ref: string;
  clinic_ids: string[];
  commands: string[];
};
