import { readFileSync } from "node:fs";
import path from "node:path";
import { closeDb, openDb, type Tx, withRead } from "@/db/client";

/** What scripts/serve-e2e.ts started, for the browser tests: they run in another process. */
export type E2eWorld = {
  origin: string;
  /** role aops_worker sees all tenants: tests look at rows with it */
  workerUrl: string;
  superuserUrl: string;
  apiToken: string;
  /** the process with all workers: a test may hold it still, and must let it go on */
  workersPid: number | undefined;
  password: string;
  /** address and what the person may do */
  signIns: { email: string; says: string }[];
};

/**
 * The world of the worker of Playwright that asks.
 * @throws Error when no server of the browser tests runs
 */
export function e2eWorld(): E2eWorld {
  const world = Number(process.env.TEST_PARALLEL_INDEX ?? 0);
  return JSON.parse(readFileSync(path.join(process.cwd(), `.data/e2e/world-${world}.json`), "utf8")) as E2eWorld;
}

/** Looks at the rows behind the screens, of all tenants and read-only. A connection of its own for each look. */
export async function lookAtRows<T>(question: (tx: Tx) => Promise<T>): Promise<T> {
  const db = openDb(e2eWorld().workerUrl, { max: 1, applicationName: "e2e" });
  try {
    return await withRead(db, { worker: "e2e" }, question);
  } finally {
    await closeDb(db);
  }
}
