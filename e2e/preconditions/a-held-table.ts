import { closeDb, openDb, withTx } from "@/db/client";
import { e2eWorld } from "@/db/testing/e2e-world";

/** Whoever reads the table waits until its lock timeout (2 s) ends the reading, as with a migration that holds it. */
export async function whileNobodyReads(table: string, work: () => Promise<void>): Promise<void> {
  const db = openDb(e2eWorld().superuserUrl, { max: 1, applicationName: "e2e" });
  try {
    await withTx(
      db,
      {},
      async (tx) => {
        await tx.sql`lock table ${tx.sql(table)} in access exclusive mode`;
        await work();
      },
      { deadlineMs: 60_000, idleTimeoutMs: 60_000 },
    );
  } finally {
    await closeDb(db);
  }
}
