import { AppError } from "@/server/app-error";

/**
 * A change asked for with a cookie must come from our own pages: JSON (another site's form cannot send it), a header of ours (forces a preflight that
 * nobody answers), the browser's word that it is the same site, and our Origin. A missing Origin is refused: browsers send it with every POST.
 * X-Forwarded-Host is not looked at; it is whatever the caller wants.
 */
export function assertOwnOrigin(request: Request, ownUrl: string): void {
  assertOwnSite(request.headers);
  if (request.method === "GET") return;
  assertOwnForm(request.headers, ownUrl);
  if (!request.headers.has("x-trpc-source") && !request.headers.has("idempotency-key")) throw new AppError("origin-refused");
}

/** The same for a form that works without scripts: it cannot send a header of ours. */
export function assertOwnForm(headers: Headers, ownUrl: string): void {
  assertOwnSite(headers);
  const origin = headers.get("origin");
  if (origin === null || !isOwn(origin, headers.get("host"), ownUrl)) throw new AppError("origin-refused");
}

function assertOwnSite(headers: Headers): void {
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") throw new AppError("origin-refused");
}

/** AUTH_URL, or the host that this very request was sent to (a development server answers to localhost and 127.0.0.1). */
function isOwn(origin: string, host: string | null, ownUrl: string): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.origin === new URL(ownUrl).origin || (host !== null && url.host === host && url.protocol === new URL(ownUrl).protocol);
}
