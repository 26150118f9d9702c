import { createHash, timingSafeEqual } from "node:crypto";
import { AppError } from "@/server/app-error";
import { metricsRegistry } from "@/server/metrics";
import type { HttpCall } from "./http-handler";
import { peerHeader } from "./shutdown";

/** The metrics of this process as Prometheus reads them: for whoever holds METRICS_TOKEN, or from this very machine while there is no such token. */
export async function metricsPage({ request, env }: Pick<HttpCall, "request" | "env">): Promise<Response> {
  if (!mayRead(request.headers, env.METRICS_TOKEN)) throw new AppError("signed-out");
  const registry = metricsRegistry();
  return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
}

function mayRead(headers: Headers, token: string | undefined): boolean {
  if (token === undefined) {
    const peer = headers.get(peerHeader) ?? "";
    const isProxied = headers.has("forwarded") || (headers.get("x-forwarded-for") ?? peer) !== peer; // a proxy on this machine speaks for anyone
    return /^(::ffff:)?127\.|^::1$/.test(peer) && !isProxied;
  }
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(headers.get("authorization") ?? ""), digest(`Bearer ${token}`));
}
