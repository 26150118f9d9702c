import { z } from "zod";
import type { Tx } from "@/db/client";
import { isOfBusiness } from "./of-business";
import { resolveReference } from "./resolve-reference";
import type { OperationsScope } from "./types";

/** One command in the list: what it was, how often it came, and what it did. */
export type StoryLine = {
  commandId: string;
  operation: string | null;
  /** Status of the stored answer; null: it came without a call (an import). */
  status: number | null;
  appointmentRef: string | null;
  clinicRef: string;
  clinicZone: string;
  at: string;
  calls: number;
  changes: number;
  sent: number;
  /** Events, deliveries and messages that are not settled. */
  open: number;
  /** Of these: stopped until a person decides. */
  stopped: number;
};
export const storyListCursor = z.object({ at: z.string().max(40), id: z.uuid() });
export type StoryListCursor = z.infer<typeof storyListCursor>;
export type StoryList = { lines: StoryLine[]; next: StoryListCursor | null; asOf: string };

/**
 * Commands of the reader's clinics, newest first, one bounded page. With `search` only those that an identity leads to: appointment, event,
 * command, inbox row, notification intent, start of a fingerprint, key, request. Ties are broken by id. Three statements at most.
 */
export async function listStories(
  tx: Tx,
  scope: OperationsScope,
  search: string | undefined,
  after: StoryListCursor | null,
  limit: number,
): Promise<StoryList> {
  const named = search ? await commandsOf(tx, scope, search) : null;
  const clinicIds = [...scope.clinicIds];
  const inScope = tx.sql`tenant_group_id = ${scope.tenantGroupId} and clinic_id = any (${clinicIds}::uuid[])`;
  const before = after ? tx.sql`where (at, command_id) < (${after.at}::timestamptz, ${after.id}::uuid)` : tx.sql``;
  // an import has history and no call; it is found by its visit, and is none of the recent commands
  const commands = named
    ? tx.sql`
        select command_id, min(at) as at from (
          select command_id, called_at as at from command_calls where ${inScope} and command_id = any (${named}::uuid[]) and outcome = 'FIRST'
          union all
          select command_id, at from appointment_history where ${inScope} and command_id = any (${named}::uuid[])
          union all
          select command_id, occurred_at from announced_events where ${inScope} and command_id = any (${named}::uuid[])
        ) found
        group by command_id`
    : tx.sql`select command_id, called_at as at from command_calls where ${inScope} and outcome = 'FIRST' and ${isOfBusiness(tx, "operation")}`;
  const lines = await tx.sql<StoryLine[]>`
    with page as materialized (
      select command_id, at from (${commands}) command ${before} order by at desc, command_id desc limit ${limit + 1}
    )
    select page.command_id as "commandId", page.at, first.operation, first.status, a.ref as "appointmentRef", c.ref as "clinicRef",
      c.zone as "clinicZone",
      (select count(*)::int from command_calls m where m.command_id = page.command_id) as calls,
      changed.changes,
      (select count(*)::int from notification_deliveries s where s.command_id = page.command_id and s.outcome = 'SENT') as sent,
      (published.open + consumed.open + told.open)::int as open,
      (published.stopped + consumed.stopped + told.stopped)::int as stopped
    from page
    left join lateral (select operation, status::int as status, clinic_id from command_calls m
      where m.command_id = page.command_id and m.outcome = 'FIRST' limit 1) first on true
    left join lateral (select count(*)::int as changes, min(appointment_id::text)::uuid as appointment_id, min(clinic_id::text)::uuid as clinic_id
      from appointment_history h where h.command_id = page.command_id) changed on true
    left join lateral (select count(*) filter (where state not in ('PUBLISHED', 'SKIPPED')) as open, count(*) filter (where state = 'FAILED') as stopped,
      min(clinic_id::text)::uuid as clinic_id from announced_events o where o.command_id = page.command_id) published on true
    left join lateral (select count(*) filter (where i.state <> 'PROCESSED') as open, count(*) filter (where i.state = 'QUARANTINED') as stopped
      from announced_events o join inbox i on i.event_id = o.event_id where o.command_id = page.command_id) consumed on true
    left join lateral (select count(*) filter (where state not in ('SENT', 'SUPPRESSED')) as open,
      count(*) filter (where state in ('EXHAUSTED', 'UNKNOWN')) as stopped from notification_intents n where n.command_id = page.command_id) told on true
    left join idempotency_keys k on k.command_id = page.command_id
    left join appointments a on a.id = case when changed.appointment_id is not null then changed.appointment_id else k.appointment_id end
    join clinics c on c.id = case
      when first.clinic_id is not null then first.clinic_id when changed.clinic_id is not null then changed.clinic_id else published.clinic_id end
    order by page.at desc, page.command_id desc`;
  const [clock] = await tx.sql<{ as_of: string }[]>`select clock_timestamp() as as_of`;
  const last = lines.length > limit ? lines[limit - 1] : undefined;
  return { lines: lines.slice(0, limit), next: last ? { at: last.at, id: last.commandId } : null, asOf: clock?.as_of ?? "" };
}

/** Every command that an identity leads to: at most 500. */
async function commandsOf(tx: Tx, scope: OperationsScope, search: string): Promise<string[]> {
  const { aggregateIds, commandIds, rowIds } = await resolveReference(tx, scope, search);
  const clinicIds = [...scope.clinicIds];
  const rows = await tx.sql<{ command_id: string }[]>`
    select command_id from appointment_history
    where tenant_group_id = ${scope.tenantGroupId} and clinic_id = any (${clinicIds}::uuid[]) and appointment_id = any (${aggregateIds}::uuid[])
    union
    select command_id from inbox
    where tenant_group_id = ${scope.tenantGroupId} and clinic_id = any (${clinicIds}::uuid[]) and id = any (${rowIds}::uuid[])
      and command_id is not null
    limit 500`;
  return [...new Set([...commandIds, ...rows.map((row) => row.command_id)])];
}
