import { createServer, type Server } from "node:http";
import { metricsRegistry } from "@/server/metrics";
import type { WorkerStatus } from "./worker-status";

/**
 * Health and metrics of this process, on loopback. /health/live: every worker makes progress (503: restart me) · /health/ready: and none waits for
 * something that is away · /metrics. Port 0: none.
 */
export async function startHealthServer(port: number, statuses: WorkerStatus[], gather: () => Promise<void>): Promise<Server | undefined> {
  if (port === 0) return undefined;
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: string, type = "application/json") =>
      response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);
    const workers = () => JSON.stringify(Object.fromEntries(statuses.map((status) => [status.role, status.toBeat().state])));
    try {
      if (request.url === "/health/live") answer(statuses.some((status) => status.isStuck) ? 503 : 200, workers());
      else if (request.url === "/health/ready") answer(statuses.every((status) => status.isReady) ? 200 : 503, workers());
      else if (request.url === "/metrics") {
        await gather();
        answer(200, await metricsRegistry().metrics(), metricsRegistry().contentType);
      } else answer(404, "{}");
    } catch {
      answer(500, "{}");
    }
  });
  server.requestTimeout = 5_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  server.unref();
  return server;
}
