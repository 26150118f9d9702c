import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { startPostgres } from "@/db/testing/embedded-postgres";
import { openTempFolder } from "@/db/testing/postgres-binaries";
import { createTemplateDatabase } from "@/db/testing/template-database";

declare module "vitest" {
  export interface ProvidedContext {
    postgres: { superuserUrl: string; template: string };
  }
}

/** Vitest global set-up: one throw-away server per run, one migrated template. The teardown it returns stops and removes both. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const base = mkdtempSync(path.join(openTempFolder(), "appointment-test-"));
  chmodSync(base, 0o755); // as root the server runs as another user
  const server = await startPostgres({ dir: path.join(base, "data"), durable: false });
  const stop = async () => {
    await server.stop();
    rmSync(base, { recursive: true, force: true });
  };
  try {
    project.provide("postgres", { superuserUrl: server.superuserUrl, template: await createTemplateDatabase(server.superuserUrl) });
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}
