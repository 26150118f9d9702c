import { type Db, withTx } from "@/db/client";
import { newRef } from "@/server/ids";
import type { PageDrill } from "./catalog";

/** Asks for a run as one of the whole installation: the command line, on a throw-away set-up. Answers its reference. */
export async function requestRun(db: Db, worker: string, drill: PageDrill, startedByRef: string): Promise<string> {
  const ref = newRef("DR");
  await withTx(
    db,
    { worker },
    (tx) => tx.sql`
      insert into drill_runs (ref, drill, carried_out, started_by_kind, started_by_ref)
      values (${ref}, ${drill}, 'AUTOMATED', 'command-line', ${startedByRef})`,
  );
  return ref;
}
