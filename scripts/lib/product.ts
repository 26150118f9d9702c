import type { RoleUrls } from "@/db/bootstrap";
import { WEB_SERVER, WORKERS } from "@/scripts/lib/build-product";
import { type Child, startChild } from "@/scripts/lib/child";
import type { Secrets } from "@/scripts/lib/secrets";

export type Product = {
  /** e.g. http://127.0.0.1:3000 */
  origin: string;
  web: Child;
  /** the process with all workers, the last one that was started */
  readonly workers: Child;
  /** starts the workers anew, in a process of their own, after theirs has ended */
  restartWorkers: () => Child;
  /** the name of the first process that ended unasked */
  broken: Promise<Child>;
  /** lets both finish what they have taken; within 10 s */
  stop: () => Promise<void>;
};

export type StartProduct = {
  urls: RoleUrls;
  secrets: Secrets;
  port: number;
  /** more variables for both processes */
  env?: Record<string, string | undefined>;
  /** gives up waiting for the web app */
  signal?: AbortSignal;
  onLine?: (process: string, line: string) => void;
};

const READY_TIMEOUT_MS = 60_000;

/**
 * Starts the built web app and one process with all workers as children of this one, and waits until the web app says it is ready.
 * @throws Error with the last lines of the process that did not come up
 */
export async function startProduct(options: StartProduct): Promise<Product> {
  const origin = `http://127.0.0.1:${options.port}`;
  const shared = { LOG_LEVEL: "info", DIGEST_KEYS: options.secrets.digestKeys, ...options.env };
  const start = (name: string, file: string, env: Record<string, string | undefined>) =>
    startChild({ name, file, env: { ...shared, ...env }, onLine: (line) => options.onLine?.(name, line) });
  const web = start("web app", WEB_SERVER, {
    PORT: String(options.port),
    HOSTNAME: "127.0.0.1",
    DATABASE_URL: options.urls.web,
    AUTH_SECRET: options.secrets.authSecret,
    AUTH_URL: origin,
    NEXT_MANUAL_SIG_HANDLE: "1", // the product drains by itself
  });
  const startWorkers = () => start("workers", WORKERS, { WORKER_DATABASE_URL: options.urls.worker });
  let workers = startWorkers();
  // together, so that both fit into the 10 s: neither needs the other to finish what it has taken
  const stop = async () => {
    await Promise.all([workers.stop(), web.stop()]);
  };
  try {
    await untilReady(`${origin}/api/health/ready`, [web, workers], options.signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    origin,
    web,
    get workers() {
      return workers;
    },
    restartWorkers: () => {
      workers = startWorkers();
      return workers;
    },
    broken: Promise.race([web, workers].map((child) => child.ended.then(() => child))),
    stop,
  };
}

async function untilReady(url: string, children: Child[], signal?: AbortSignal): Promise<void> {
  let dead: Child | undefined;
  for (const child of children)
    void child.ended.then(() => {
      dead ??= child;
    });
  let last = "no answer";
  for (const end = Date.now() + READY_TIMEOUT_MS; Date.now() < end; ) {
    signal?.throwIfAborted();
    if (dead) throw new Error(endedUnasked(dead));
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      if (answer.ok) return;
      last = `${answer.status} ${(await answer.text()).slice(0, 300)}`;
    } catch (error) {
      last = (error as Error).message;
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  throw new Error(`the web app was not ready after ${READY_TIMEOUT_MS / 1000} s; ${url} said: ${last}`);
}

export const endedUnasked = (child: Child): string =>
  `the ${child.name} ended unasked; its last lines:\n${child.lastLines.slice(-12).join("\n")}`;
