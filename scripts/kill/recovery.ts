import { setTimeout as sleep } from "node:timers/promises";
import { consumersOf } from "@/workers/logical-consumers";
import type { Load } from "./load";
import { recoveryMaxMs } from "./scenario";
import type { Stand } from "./stand";

/**
 * Milliseconds from `sinceMs` (now) until a booking was acknowledged after it and everything that was committed up to the present moment had gone all
 * the way. Takes part in no recovery itself: it only looks.
 */
export async function recovery(stand: Stand, load: Load, sinceMs = Date.now()): Promise<number> {
  for (const end = Date.now() + recoveryMaxMs; Date.now() < end; await sleep(100)) {
    const first = load.acknowledged.findLast(({ atMs }) => atMs >= sinceMs);
    if (!first) continue;
    const left = await unfinished(stand, sinceMs).catch(() => undefined);
    if (left === 0) return Date.now() - sinceMs;
  }
  return Number.POSITIVE_INFINITY;
}

/** Waits until nothing is under way any more. @returns what is still open when the time is over */
export async function untilQuiet(stand: Stand, timeoutMs = recoveryMaxMs): Promise<string | undefined> {
  for (const end = Date.now() + timeoutMs; Date.now() < end; await sleep(100))
    if ((await unfinished(stand, Date.now() + 3_600_000).catch(() => undefined)) === 0) return undefined;
  return describeUnfinished(stand);
}

/** Entries, inbox rows and messages that were due to exist by `untilMs` and have not ended well. */
async function unfinished({ superuser }: Stand, untilMs: number): Promise<number> {
  const until = new Date(untilMs).toISOString();
  const [row] = await superuser.$client`
    select
      (select count(*) from outbox where occurred_at <= ${until}::timestamptz and state not in ('PUBLISHED', 'SKIPPED'))
      + (select count(*)
         from outbox o
         cross join unnest(${consumersOf("appointment.v1").map(({ id }) => id)}::text[]) as c (consumer)
         where o.occurred_at <= ${until}::timestamptz
           and not exists (select from inbox i where i.consumer = c.consumer and i.event_id = o.event_id and i.state = 'PROCESSED'))
      + (select count(*) from notification_intents
         where created_at <= ${until}::timestamptz and state in ('PENDING', 'SENDING', 'RETRY_WAIT')) as open`;
  return Number(row?.open);
}

async function describeUnfinished({ superuser }: Stand): Promise<string> {
  const rows = await superuser.$client<{ what: string; n: string }[]>`
    select 'outbox ' || state || coalesce(' ' || reason_code, '') as what, count(*) as n
    from outbox where state not in ('PUBLISHED', 'SKIPPED') group by 1
    union all
    select 'inbox ' || consumer || ' ' || state || coalesce(' ' || reason_code, ''), count(*)
    from inbox where state <> 'PROCESSED' group by 1
    union all
    select 'message ' || state || coalesce(' ' || reason_code, ''), count(*)
    from notification_intents where state in ('PENDING', 'SENDING', 'RETRY_WAIT') group by 1`;
  return `never quiet: ${rows.map(({ what, n }) => `${n} ${what}`).join(", ") || "events that no consumer has seen"}`;
}
