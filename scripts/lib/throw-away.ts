import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { bootstrapDatabase, databaseUrl, type RoleUrls } from "@/db/bootstrap";
import { migrateDatabase } from "@/db/migrate";
import { startPostgres } from "@/db/testing/embedded-postgres";
import { openTempFolder } from "@/db/testing/postgres-binaries";
import type { Secrets } from "@/scripts/lib/secrets";

export type ThrowAwayDatabase = { urls: RoleUrls & { superuser: string }; stop: () => Promise<void> };

/** A PostgreSQL server of its own without a database, gone after `stop` (or with this process). */
export async function startThrowAwayServer(name: string): Promise<{ superuserUrl: string; stop: () => Promise<void> }> {
  const base = mkdtempSync(path.join(openTempFolder(), `${name}-`));
  chmodSync(base, 0o755); // as root the server runs as another user
  const server = await startPostgres({ dir: path.join(base, "data"), durable: false });
  const stop = async () => {
    await server.stop();
    rmSync(base, { recursive: true, force: true });
  };
  return { superuserUrl: server.superuserUrl, stop };
}

/** A PostgreSQL of its own with an empty, migrated database, gone after `stop` (or with this process). */
export async function startThrowAwayDatabase(name: string, secrets: Secrets): Promise<ThrowAwayDatabase> {
  const server = await startThrowAwayServer(name);
  const { stop } = server;
  try {
    const urls = await bootstrapDatabase(server.superuserUrl, "appointments", secrets.passwords);
    await migrateDatabase(urls.migrator);
    return { urls: { ...urls, superuser: databaseUrl(server.superuserUrl, { database: "appointments" }) }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
