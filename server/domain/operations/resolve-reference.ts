import type { Tx } from "@/db/client";
import { isUuid } from "@/server/ids";
import type { OperationsScope } from "./types";

/** Appointments and commands that an identity leads to; a row matches when it names any of them. */
export type Resolved = { aggregateIds: string[]; commandIds: string[]; rowIds: string[] };
type Found = { kind: "aggregate" | "command" | "row"; id: string };

/**
 * Finds what an identity typed by a person belongs to: short reference of an appointment, id of appointment, event, command, inbox row or
 * notification intent, idempotency key, request id or reference of a replay; and when it is none of these, request id of a call, start of a fingerprint
 * or digest (8 characters or more). The first ones are looked up in indexes; the others are read for, which costs with the number of records, so they are
 * asked only when they can be meant. No identity, no match. Two statements at most.
 */
export async function resolveReference(tx: Tx, scope: OperationsScope, typed: string): Promise<Resolved> {
  const text = typed.trim();
  const indexed = await byIndex(tx, scope, text);
  const found = indexed.length > 0 ? indexed : await byReading(tx, scope, text);
  const idsOf = (kind: Found["kind"]) => [...new Set(found.filter((row) => row.kind === kind).map((row) => row.id))];
  return { aggregateIds: idsOf("aggregate"), commandIds: idsOf("command"), rowIds: idsOf("row") };
}

const within = (tx: Tx, { tenantGroupId, clinicIds }: OperationsScope) =>
  tx.sql`tenant_group_id = ${tenantGroupId} and clinic_id = any (${[...clinicIds]}::uuid[])`;

function byIndex(tx: Tx, scope: OperationsScope, text: string): Promise<Found[]> {
  const inScope = within(tx, scope);
  const id = text.toLowerCase();
  const ofReplay = tx.sql`
    select 'row' as kind, t.inbox_id as id from replay_requests r
    join replay_items t on t.request_id = r.request_id
    where r.tenant_group_id = ${scope.tenantGroupId} and r.clinic_id = any (${[...scope.clinicIds]}::uuid[])`;
  const parts = isUuid(id)
    ? tx.sql`
        select 'aggregate' as kind, id from appointments where ${inScope} and id = ${id}::uuid
        union all
        select 'command', command_id from idempotency_keys where ${inScope} and (key = ${text} or command_id = ${id}::uuid)
        union all
        select 'command', command_id from command_calls where ${inScope} and command_id = ${id}::uuid
        union all
        select 'command', command_id from announced_events where ${inScope} and event_id = ${id}::uuid
        union all
        (select 'command', command_id from announced_events where ${inScope} and command_id = ${id}::uuid limit 1)
        union all
        select 'command', command_id from notification_intents where ${inScope} and id = ${id}::uuid
        union all
        select 'row', id from inbox where ${inScope} and (event_id = ${id}::uuid or id = ${id}::uuid)
        union all
        ${ofReplay} and r.request_id = ${id}::uuid`
    : tx.sql`
        select 'aggregate' as kind, id from appointments where ${inScope} and ref = ${text.toUpperCase()}
        union all
        select 'command', command_id from idempotency_keys where ${inScope} and key = ${text}
        union all
        ${ofReplay} and (r.job_ref = ${text.toUpperCase()} or r.ref = ${text.toUpperCase()})`;
  return tx.sql<Found[]>`${parts} limit 500`;
}

async function byReading(tx: Tx, scope: OperationsScope, text: string): Promise<Found[]> {
  const inScope = within(tx, scope);
  if (/^[0-9a-f]{8,64}$/i.test(text)) {
    const start = `${text.toLowerCase()}%`;
    return tx.sql<Found[]>`
      select 'command' as kind, command_id as id from idempotency_keys where ${inScope} and fingerprint like ${start}
      union all
      select 'row', id from inbox where ${inScope} and content_digest like ${start}
      limit 500`;
  }
  if (text.length < 8) return [];
  return tx.sql<Found[]>`
    select 'command' as kind, command_id as id from command_calls where ${inScope} and command_id is not null and request_id = ${text} limit 500`;
}
