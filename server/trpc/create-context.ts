import { readActor } from "@/server/auth/read-actor";
import { systemClock } from "@/server/clock";
import { webEnv } from "@/server/env";
import { webDb } from "@/server/http/web-db";
import { newUuid } from "@/server/ids";
import type { TrpcContext } from "./trpc";

/** For a page that draws on the server (no argument) and for a call over HTTP. The session is read from the request that Next is answering. */
export async function createContext(call: { requestId?: string; batchSize?: number; traceparent?: string } = {}): Promise<TrpcContext> {
  return {
    db: webDb(),
    clock: systemClock,
    env: webEnv(),
    requestId: call.requestId ?? newUuid(),
    traceparent: call.traceparent,
    actor: await readActor(),
    batchSize: call.batchSize ?? 1,
  };
}
