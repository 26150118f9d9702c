import type { Db } from "@/db/client";

/** Until some session of this database waits for a lock (true), or what should wait has ended without (false). Asks as a superuser, who sees all of them. */
export async function untilSomebodyWaits(superuser: Db, waiter: Promise<unknown> = new Promise(() => {})): Promise<boolean> {
  let hasEnded = false;
  const note = () => {
    hasEnded = true;
  };
  waiter.then(note, note);
  while (!hasEnded) {
    const [row] = await superuser.$client<{ n: number }[]>`
      select count(*)::int4 as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    if (row && row.n > 0) return true;
  }
  return false;
}
