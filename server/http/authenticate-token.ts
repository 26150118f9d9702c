import type { Db } from "@/db/client";
import { AppError } from "@/server/app-error";
import type { TokenActor } from "@/server/domain/scope/actor";
import { findToken } from "@/server/domain/scope/find-token";
import type { RateLimits } from "./rate-limits";

/**
 * `Authorization: Bearer …` → who calls. Looked up on every call, so a revoked token ends with the next one.
 * `address` is where guesses are counted. Throws AppError 401 (no token, unknown, expired, revoked: one answer for all) or 429.
 */
export async function authenticateToken(db: Db, limits: RateLimits, headers: Headers, address: string): Promise<TokenActor> {
  const [, token] = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(headers.get("authorization") ?? "") ?? [];
  const actor = token ? await findToken(db, token) : undefined;
  if (!actor) {
    if (token) await limits.unknownToken.consume(address);
    throw new AppError("signed-out");
  }
  await limits.token.consume(actor.tokenId);
  return actor;
}
