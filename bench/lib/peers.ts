import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, run } from "@/scripts/lib/run";

const home = path.join(ROOT, "bench");
const names = ["autocannon", "graphile-worker", "pg-boss"];

/** bench/ is a package of its own, so that no peer ever enters the product: `npm ci` in it, once. */
export async function installPeers(log: (line: string) => void): Promise<void> {
  if (names.every((name) => existsSync(path.join(home, "node_modules", name, "package.json")))) return;
  log("installing the peers into bench/node_modules (24 MB, once)");
  const installed = await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: home });
  if (installed.code !== 0) throw new Error(`npm ci in bench/ failed:\n${installed.output.trim().split("\n").slice(-10).join("\n")}`);
}

/** Imported by path: the root package must neither need nor find them. */
async function importPeer<T>(name: string): Promise<T> {
  const file = createRequire(path.join(home, "package.json")).resolve(name);
  const loaded = (await import(pathToFileURL(file).href)) as { default?: unknown };
  return (loaded.default ?? loaded) as T;
}

export type PgBoss = {
  on(event: "error", listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  stop(options: { graceful: boolean; wait: boolean }): Promise<void>;
  createQueue(name: string): Promise<void>;
  insert(jobs: { name: string; data: object }[]): Promise<void>;
  fetch(name: string, options: { batchSize: number }): Promise<{ id: string; data: { counter: number } }[]>;
  complete(name: string, ids: string[]): Promise<unknown>;
};
export const importPgBoss = () =>
  importPeer<new (options: { connectionString: string; max: number; supervise: boolean; schedule: boolean }) => PgBoss>("pg-boss");

export type GraphileWorker = {
  makeWorkerUtils(options: { connectionString: string }): Promise<{ migrate(): Promise<void>; release(): Promise<void> }>;
  run(options: {
    connectionString: string;
    maxPoolSize: number;
    noHandleSignals: boolean;
    concurrency?: number;
    logger: unknown;
    preset?: object;
    taskList: Record<
      string,
      (payload: { counter: number }, helpers: { query(text: string, values: unknown[]): Promise<unknown> }) => Promise<void>
    >;
  }): Promise<{ stop(): Promise<void> }>;
  Logger: new (factory: () => () => void) => unknown;
};
export const importGraphileWorker = () => importPeer<GraphileWorker>("graphile-worker");

export type CannonRequest = { method: string; path: string; headers?: Record<string, string>; body?: string };
type Cannon = EventTargetLike & PromiseLike<{ errors: number; timeouts: number; non2xx: number; duration: number }>;
type EventTargetLike = { on(event: "response", listener: (client: unknown, status: number, bytes: number, ms: number) => void): void };
export const importAutocannon = () =>
  importPeer<
    (
      options: {
        url: string;
        connections: number;
        amount?: number;
        duration?: number;
        timeout?: number;
        requests: { setupRequest: (request: CannonRequest) => CannonRequest }[];
      },
      done: (error: Error | null, result: { errors: number; timeouts: number; non2xx: number; duration: number }) => void,
    ) => Cannon
  >("autocannon");
