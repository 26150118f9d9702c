import type { Db } from "@/db/client";
import type { PlanningWorld } from "@/server/domain/planning/testing";
import { bookAt } from "./far-clinic";
import { recoveryMaxMs } from "./scenario";
import type { Stand } from "./stand";
import { until } from "./until";

export const stoppedConsumer = "daily-load-v1";
export type StoppedRow = { id: string; partition: number; offset: string };

/** Half hours of one doctor. */
const clocks = ["09:00", "09:30", "10:00", "10:30", "11:00", "11:30", "13:00", "13:30"];

/**
 * Books visits of the world's day while the consumer's table lets none of that clinic in, until the real consumers and the scheduler have used all attempts
 * up: rows that are really quarantined. Then the table is as it was. @returns them in the order of the log @throws Error when they do not stop
 */
export async function stopRows({ superuser }: Stand, world: PlanningWorld, web: Db): Promise<StoppedRow[]> {
  const sql = superuser.$client;
  await sql.unsafe(`
    create function drill_refuse() returns trigger language plpgsql as $$ begin raise exception 'the drill lets nothing in'; end $$;
    create trigger drill_refuse before insert on daily_load_visits
    for each row when (new.clinic_id = '${world.clinic.id}') execute function drill_refuse()`);
  try {
    const ids: string[] = [];
    for (const [n, at] of clocks.entries()) ids.push(await bookAt(world, web, at, n));
    let stopped: StoppedRow[] = [];
    const haveStopped = async () => {
      // the waits between two attempts grow to half a minute, and nothing of them is tried here
      await sql`
        update inbox set next_attempt_at = clock_timestamp()
        where consumer = ${stoppedConsumer} and aggregate_id = any (${ids}::uuid[]) and state = 'RETRYABLE' and next_attempt_at > clock_timestamp()`;
      stopped = await sql<StoppedRow[]>`
        select id, last_partition as partition, last_offset as "offset"
        from inbox
        where consumer = ${stoppedConsumer} and aggregate_id = any (${ids}::uuid[]) and state = 'QUARANTINED' and reason_code = 'ATTEMPTS_EXHAUSTED'
        order by last_partition, last_offset`;
      return stopped.length === ids.length;
    };
    if (!(await until(haveStopped, recoveryMaxMs))) throw new Error(`${stopped.length} of ${ids.length} rows were quarantined`);
    return stopped;
  } finally {
    await sql.unsafe("drop trigger drill_refuse on daily_load_visits; drop function drill_refuse()");
  }
}
