import { webEnv } from "@/server/env";
import { peerHeader } from "./shutdown";

/**
 * The address that limits are counted by: the other end of the socket, or, behind a proxy that is trusted, what that proxy saw (the last entry of
 * X-Forwarded-For; earlier entries are the caller's own word).
 */
export function clientAddress(headers: Headers, trustProxy = webEnv().TRUST_PROXY): string {
  const forwarded = trustProxy ? headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() : undefined;
  return forwarded || headers.get(peerHeader) || "unknown";
}
