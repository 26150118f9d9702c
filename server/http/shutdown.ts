import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

type State = { stopping: AbortController; open: Set<ServerResponse>; server?: Server };
const kept = globalThis as { appointmentOperationsShutdown?: State };

function state(): State {
  kept.appointmentOperationsShutdown ??= { stopping: new AbortController(), open: new Set() };
  return kept.appointmentOperationsShutdown;
}

/** Aborts when the process is asked to stop: long answers end, readiness says no. */
export const stopSignal = (): AbortSignal => state().stopping.signal;

/** Set by us on every request, whatever the caller sent under this name: the other end of the socket. */
export const peerHeader = "x-peer-address";

/** From now on every request of this process is counted until its answer is closed, and carries the address of its socket. */
export function watchRequests(): void {
  const { open } = state();
  subscribe("http.server.request.start", (message) => {
    const { request, response, server } = message as { request: IncomingMessage; response: ServerResponse; server: Server };
    state().server = server;
    request.headers[peerHeader] = request.socket.remoteAddress ?? "";
    open.add(response);
    response.once("close", () => open.delete(response));
  });
}

/** Takes nothing new, ends streams, waits for answers under way. Returns how many were still open at the deadline. */
export async function drain(deadlineMs: number): Promise<number> {
  const { stopping, open, server } = state();
  stopping.abort();
  server?.close();
  for (const end = performance.now() + deadlineMs; open.size > 0 && performance.now() < end; ) {
    server?.closeIdleConnections();
    await sleep(50);
  }
  const unanswered = open.size;
  server?.closeAllConnections(); // a kept-alive connection would be served still
  return unanswered;
}
