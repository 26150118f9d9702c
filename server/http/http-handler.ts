import { Histogram } from "prom-client";
import type { Db } from "@/db/client";
import type { AppError } from "@/server/app-error";
import { systemClock } from "@/server/clock";
import type { TokenActor } from "@/server/domain/scope/actor";
import { type WebEnv, webEnv } from "@/server/env";
import { newUuid } from "@/server/ids";
import { logger } from "@/server/logger";
import { metric } from "@/server/metrics";
import { authenticateToken } from "./authenticate-token";
import { clientAddress } from "./client-address";
import { faultOf } from "./fault-of";
import { problemResponse } from "./problem";
import { webRateLimits } from "./rate-limits";
import { toAppError } from "./to-app-error";
import { webDb } from "./web-db";

export type HttpCall<P = Record<string, never>> = { request: Request; requestId: string; params: P; db: Db; env: WebEnv };
export type ApiCall<P = Record<string, never>> = HttpCall<P> & { actor: TokenActor };
type Route<P> = (request: Request, context: { params: Promise<P> }) => Promise<Response>;

/**
 * One HTTP operation: gives `fn` what it needs, turns whatever it throws into problem+json, and writes one line per call (operation, status, code,
 * time; never a body, a query or a header). Every answer is `no-store` and names its request.
 */
export function httpHandler<P = Record<string, never>>(operation: string, fn: (call: HttpCall<P>) => Promise<Response>): Route<P> {
  return async (request, context) => {
    const requestId = requestIdOf(request.headers);
    const startedMs = systemClock.monotonicMs();
    let code: AppError["code"] | undefined;
    const answer = async () => {
      try {
        return await fn({ request, requestId, params: await context.params, db: webDb(), env: webEnv() });
      } catch (error) {
        const known = toAppError(error);
        code = known.code;
        if (known.code === "internal-error") logger.error({ operation, requestId, err: faultOf(error) }, "request failed");
        return problemResponse(known, requestId);
      }
    };
    const response = await answer();
    response.headers.set("cache-control", "no-store");
    response.headers.set("x-content-type-options", "nosniff");
    response.headers.set("x-request-id", requestId);
    if (unreadBody.includes(response.status)) response.headers.set("connection", "close");
    const durationMs = Math.round(systemClock.monotonicMs() - startedMs);
    observeRequest(operation, response.status, durationMs / 1000);
    logger.info({ operation, requestId, status: response.status, code, durationMs }, "request");
    return response;
  };
}

/** Answered before the body was there: what the caller still sends must not be read as the next request, nor be waited for. */
const unreadBody: readonly number[] = [408, 413];

/** How long an HTTP operation took until its answer was ready. */
export const observeRequest = (operation: string, status: number, seconds: number): void =>
  metric(
    "http_request_duration_seconds",
    (registry) =>
      new Histogram({
        name: "http_request_duration_seconds",
        help: "Time until the answer of an HTTP operation was ready.",
        labelNames: ["operation", "status"],
        buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
        registers: [registry],
      }),
  ).observe({ operation, status }, seconds);

/** An operation of the API: the caller is a token, checked and counted before `fn` runs. */
export function apiHandler<P = Record<string, never>>(operation: string, fn: (call: ApiCall<P>) => Promise<Response>): Route<P> {
  return httpHandler<P>(operation, async (call) => {
    const actor = await authenticateToken(call.db, webRateLimits(), call.request.headers, clientAddress(call.request.headers));
    return fn({ ...call, actor });
  });
}

/** A caller may bring its own id to find a call again in both logs; one that is not a plain word is replaced. */
export function requestIdOf(headers: Headers): string {
  const given = headers.get("x-request-id") ?? "";
  return /^[A-Za-z0-9._-]{8,64}$/.test(given) ? given : newUuid();
}
