import { type Db, withTx } from "@/db/client";
import { removeSyntheticScope } from "./synthetic-scope";

/** What a run has left can be looked at for so long. */
export const scopeKeptHours = 24;

/** Removes the rows of runs that ended a day ago, a few at a time; their records stay. Answers how many scopes went. */
export function removeOldScopes(db: Db, worker: string, limit = 5): Promise<number> {
  return withTx(db, { worker }, async (tx) => {
    const old = await tx.sql<{ id: string; scope_id: string }[]>`
      select id, scope_id from drill_runs
      where scope_id is not null and scope_removed_at is null and ended_at < clock_timestamp() - ${scopeKeptHours} * interval '1 hour'
      order by ended_at
      limit ${limit}
      for no key update skip locked`;
    for (const run of old) {
      await removeSyntheticScope(tx, run.scope_id);
      await tx.sql`update drill_runs set scope_removed_at = clock_timestamp() where id = ${run.id}`;
    }
    return old.length;
  });
}
