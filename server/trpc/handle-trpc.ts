import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { AppError } from "@/server/app-error";
import { parseStrictJson } from "@/server/canonical-hash";
import { assertOwnOrigin } from "@/server/http/assert-own-origin";
import { faultOf } from "@/server/http/fault-of";
import type { HttpCall } from "@/server/http/http-handler";
import { escapedNul, readJsonText } from "@/server/http/read-json";
import { traceparentOf } from "@/server/http/traceparent";
import { logger } from "@/server/logger";
import { createContext } from "./create-context";
import { appRouter } from "./root";

const batchMax = 10;

/** Everything under /api/trpc: our own pages only, JSON only, 64 KiB, ten reads in one request and a keyed command alone. */
export async function handleTrpc({ request, requestId, env }: HttpCall<unknown>): Promise<Response> {
  assertOwnOrigin(request, env.AUTH_URL);
  const traceparent = traceparentOf(request.headers);
  return fetchRequestHandler({
    endpoint: "/api/trpc",
    req: await boundedRequest(request),
    router: appRouter,
    maxBatchSize: batchMax,
    createContext: ({ info }) => createContext({ requestId, traceparent, batchSize: info.calls.length }),
    onError: ({ error, path }) => {
      if (error.code === "INTERNAL_SERVER_ERROR")
        logger.error({ operation: path, requestId, err: faultOf(error.cause ?? error) }, "procedure failed");
    },
  });
}

/** The same request with its input read within bounds: the adapter itself would take any size and type, and answer a broken text as a fault of ours. */
async function boundedRequest(request: Request): Promise<Request> {
  if (request.method === "GET") {
    const { search, searchParams } = new URL(request.url);
    if (escapedNul.test(decoded(search))) throw new AppError("request-invalid", "The input holds a NUL character.");
    for (const input of searchParams.getAll("input")) parseStrictJson(input);
    return request;
  }
  const body = await readJsonText(request);
  parseStrictJson(body);
  return new Request(request.url, { method: request.method, headers: request.headers, body, signal: request.signal });
}

function decoded(query: string): string {
  try {
    return decodeURIComponent(query);
  } catch {
    throw new AppError("request-invalid", "The query is not encoded as it should be.");
  }
}
