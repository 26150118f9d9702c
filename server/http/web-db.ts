import { type Db, openDb } from "@/db/client";
import { webEnv } from "@/server/env";

const kept = globalThis as { appointmentOperationsWebDb?: Db };

/**
 * The web process's pool, in the web role. On globalThis, because route bundles and a development reload do not share module state;
 * opened when first asked for, so that a build needs no database.
 */
export function webDb(): Db {
  if (!kept.appointmentOperationsWebDb) {
    const env = webEnv();
    kept.appointmentOperationsWebDb = openDb(env.DATABASE_URL, {
      max: env.DATABASE_POOL_MAX,
      prepare: env.DATABASE_PREPARE,
      applicationName: "web",
    });
  }
  return kept.appointmentOperationsWebDb;
}
