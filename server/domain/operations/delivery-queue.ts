import type { Tx } from "@/db/client";
import { type Found, findQueueRows } from "./find-queue-rows";
import { resolveReference } from "./resolve-reference";
import {
  type OperationsScope,
  type QueueCursor,
  type QueueFilter,
  type QueueGroup,
  type QueuePage,
  type QueueRow,
  type QueueState,
  queueGroups,
  type RowKind,
} from "./types";

/**
 * One page of the action queue: rows that need a decision first, then waiting ones (next attempt first), then what settled in the time range and
 * what STAFF decided to keep (newest first). `after` is the cursor of the page before; ties are broken by id, so no row is left out or shown twice
 * while others arrive. Ask it with `byIndex`.
 */
export async function deliveryQueue(
  tx: Tx,
  scope: OperationsScope & { userId: string },
  filter: QueueFilter,
  after: QueueCursor | null,
  limit: number,
): Promise<QueuePage> {
  const named = filter.search ? await rowsNamed(tx, scope, filter.search) : null;
  const [clock] = await tx.sql<{ as_of: string }[]>`select clock_timestamp() as as_of`;
  const asOf = clock?.as_of ?? "";
  const groups = queueGroups.slice(after ? queueGroups.indexOf(after.group) : 0).filter((group) => isWanted(group, filter));
  const rows: QueueRow[] = [];
  for (const group of groups) {
    const cursor = after?.group === group ? after : null;
    const wanted = { scope, group, filter, named, userId: scope.userId, cursor, limit: limit + 1 - rows.length };
    rows.push(...(await fillRows(tx, group, await findQueueRows(tx, wanted))));
    if (rows.length > limit) break;
  }
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { rows: rows.slice(0, limit), next: last ? { group: last.group, at: last.at, id: last.id } : null, asOf };
}

function isWanted(group: QueueGroup, filter: QueueFilter): boolean {
  if (filter.decisionOnly || filter.mine) return group === "DECISION";
  if (filter.states.length === 0) return true;
  const states: Record<QueueGroup, string[]> = {
    DECISION: ["QUARANTINED"],
    WAITING: ["RETRYABLE"],
    SETTLED: ["PROCESSED", "DUPLICATE", "QUARANTINED"],
  };
  return filter.states.some((state) => states[group].includes(state));
}

/** Rows that an identity leads to. The event names what a visit or command caused in the inbox: inbox has no index of its own for those. */
async function rowsNamed(tx: Tx, scope: OperationsScope, search: string) {
  const { aggregateIds, commandIds, rowIds } = await resolveReference(tx, scope, search);
  const inScope = (table: string) =>
    tx.sql`${tx.sql(table)}.tenant_group_id = ${scope.tenantGroupId} and ${tx.sql(table)}.clinic_id = any (${[...scope.clinicIds]}::uuid[])`;
  const found = await tx.sql<{ kind: "inbox" | "outbox" | "command"; id: string }[]>`
    (select 'inbox' as kind, i.id from announced_events o join inbox i on i.event_id = o.event_id
      where ${inScope("o")} and o.aggregate_type = 'appointment' and o.aggregate_id = any (${aggregateIds}::uuid[])
      limit 500)
    union
    (select 'inbox', i.id from announced_events o join inbox i on i.event_id = o.event_id
      where ${inScope("o")} and o.command_id = any (${commandIds}::uuid[])
      limit 500)
    union
    (select 'inbox', i.id from inbox i where ${inScope("i")} and i.id = any (${rowIds}::uuid[]))
    union
    (select 'outbox', o.event_id from outbox o
      where ${inScope("o")} and o.aggregate_type = 'appointment' and o.aggregate_id = any (${aggregateIds}::uuid[]) and o.state = 'FAILED')
    union
    (select 'outbox', o.event_id from outbox o where ${inScope("o")} and o.command_id = any (${commandIds}::uuid[]) and o.state = 'FAILED')
    union
    (select 'command', k.command_id from idempotency_keys k
      where ${inScope("k")} and (k.appointment_id = any (${aggregateIds}::uuid[]) or k.command_id = any (${commandIds}::uuid[]))
      limit 500)`;
  const idsOf = (kind: string) => found.filter((row) => row.kind === kind).map((row) => row.id);
  return { inbox: idsOf("inbox"), outbox: idsOf("outbox"), commands: idsOf("command") };
}

type Filled = {
  kind: RowKind;
  id: string;
  at: string;
  row_state: string;
  appointment_ref: string | null;
  clinic_ref: string;
  clinic_zone: string;
  event_type: string | null;
  changes: number;
  consumer: string | null;
  reason_code: string | null;
  attempts: number | null;
  attempts_max: number | null;
  calls: number | null;
  next_attempt_at: string | null;
  lease_owner: string | null;
  lease_until: string | null;
  blocked_by: string | null;
  version: string | null;
  task_version: string | null;
  assignee_id: string | null;
  assignee_ref: string | null;
  kept_by_ref: string | null;
  kept_reason: string | null;
  replay_request_id: string | null;
};

/**
 * What the rows of a page show, in one statement. Whose row it is stands in a `case`: row-level security lets no index be asked by a `coalesce`, and
 * all history of the group would be read for each row.
 */
async function fillRows(tx: Tx, group: QueueGroup, found: Found[]): Promise<QueueRow[]> {
  if (found.length === 0) return [];
  const filled = await tx.sql<Filled[]>`
    select
      page.kind, page.id, page.at,
      case page.kind when 'delivery' then 'DUPLICATE' when 'command' then 'DUPLICATE' when 'outbox' then 'PUBLISH_FAILED' else i.state end as row_state,
      a.ref as appointment_ref, c.ref as clinic_ref, c.zone as clinic_zone,
      coalesce(i.event_type, o.type, first_event.type) as event_type,
      (select count(*)::int from appointment_history h where h.command_id = whose.command_id) as changes,
      i.consumer,
      case page.kind when 'inbox' then i.reason_code when 'outbox' then o.reason_code end as reason_code,
      coalesce(i.attempts, o.attempts) as attempts, i.attempts_max,
      case page.kind when 'command' then
        (select count(*)::int from command_calls calls where calls.command_id = k.command_id) end as calls,
      case page.kind when 'inbox' then i.next_attempt_at end as next_attempt_at, i.lease_owner, i.lease_until, i.blocked_by,
      case page.kind when 'inbox' then i.version when 'outbox' then o.fence end as version,
      case when page.kind in ('inbox', 'outbox') then coalesce(t.version, 0)::text end as task_version,
      t.assignee_id, t.assignee_ref, t.kept_by_ref, t.kept_reason, replay.request_id as replay_request_id
    from unnest(${found.map((row) => row.kind)}::text[], ${found.map((row) => row.id)}::uuid[], ${found.map((row) => row.at)}::text[]::timestamptz[])
      with ordinality as page(kind, id, at, position)
    left join inbox_deliveries d on page.kind = 'delivery' and d.id = page.id
    left join inbox i on i.id = case page.kind when 'inbox' then page.id when 'delivery' then d.inbox_id end
    left join outbox o on page.kind = 'outbox' and o.event_id = page.id
    left join idempotency_keys k on page.kind = 'command' and k.command_id = page.id
    left join delivery_tasks t on page.kind in ('inbox', 'outbox') and t.row_id = page.id
    left join replay_items replay on page.kind = 'inbox' and replay.inbox_id = page.id and replay.is_open
    left join lateral (select type from announced_events e where e.command_id = k.command_id order by e.aggregate_seq limit 1) first_event on true
    cross join lateral (
      select
        case when i.id is not null then i.command_id when o.event_id is not null then o.command_id else k.command_id end as command_id,
        case when i.id is not null then i.clinic_id when o.event_id is not null then o.clinic_id else k.clinic_id end as clinic_id,
        case when i.id is not null then i.aggregate_id when o.event_id is not null then o.aggregate_id else k.appointment_id end as appointment_id) whose
    join clinics c on c.id = whose.clinic_id
    left join appointments a on a.id = whose.appointment_id
    order by page.position`;
  return filled.map((row) => toQueueRow(group, row));
}

const toQueueRow = (group: QueueGroup, row: Filled): QueueRow => ({
  id: `${row.kind}.${row.id}`,
  kind: row.kind,
  group,
  state: (row.reason_code === "BLOCKED_BY" ? "BLOCKED_BY" : row.row_state) as QueueState,
  appointmentRef: row.appointment_ref,
  clinicRef: row.clinic_ref,
  clinicZone: row.clinic_zone,
  eventType: row.event_type,
  changes: row.changes,
  consumer: row.consumer,
  reasonCode: row.reason_code,
  attempts: row.attempts,
  attemptsMax: row.attempts_max,
  calls: row.calls,
  nextAttemptAt: row.next_attempt_at,
  leaseOwner: row.lease_owner,
  leaseUntil: row.lease_until,
  blockedBy: row.blocked_by,
  version: row.version,
  taskVersion: row.task_version,
  assigneeId: row.assignee_id,
  assigneeRef: row.assignee_ref,
  kept: row.kept_by_ref && row.kept_reason ? { byRef: row.kept_by_ref, reason: row.kept_reason } : null,
  replayRequestId: row.replay_request_id,
  at: row.at,
});
