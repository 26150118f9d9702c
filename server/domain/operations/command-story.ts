import type { Tx } from "@/db/client";
import type { StoryCursor, StoryHead, StoryOpen, StoryPart, StoryRecord } from "./story-types";
import type { OperationsScope } from "./types";

/**
 * What the head of a command's page says, counted from the stored records and never from a state alone. Null when the command has no record in
 * the reader's clinics. Four statements.
 */
export async function commandStory(tx: Tx, scope: OperationsScope, commandId: string): Promise<StoryHead | null> {
  const [base] = await tx.sql<Base[]>`
    with record as (${recordsSql(tx, scope, commandId)})
    select
      g.ref as tenant_ref, c.ref as clinic_ref, c.name as clinic_name, c.zone,
      first.operation, first.status::int as status, k.key, k.fingerprint, k.expires_at,
      a.ref as appointment_ref, a.version as appointment_version, a.status as appointment_status,
      counted.*, clock_timestamp() as as_of
    from (
      select count(*)::int as records,
        count(*) filter (where kind = 'call')::int as calls,
        count(*) filter (where kind = 'call' and what = 'REPLAYED')::int as replayed,
        count(*) filter (where kind = 'change')::int as changes,
        count(*) filter (where kind = 'event')::int as events,
        count(*) filter (where kind = 'published')::int as published,
        count(*) filter (where kind = 'left')::int as left,
        count(*) filter (where kind = 'intent')::int as intents,
        count(*) filter (where kind = 'sending' and what = 'SENT')::int as sent,
        count(*) filter (where kind = 'sending' and what = 'SUPPRESSED')::int as suppressed,
        count(distinct request_id) filter (where kind = 'replay' and what = 'APPROVED')::int as replays,
        min(clinic_id::text)::uuid as clinic_id,
        min(appointment_id::text)::uuid as appointment_id
      from record
    ) counted
    join clinics c on c.id = counted.clinic_id
    join tenant_groups g on g.id = c.tenant_group_id
    left join idempotency_keys k on k.command_id = ${commandId} and ${inScope(tx, scope, "k")}
    left join lateral (
      select operation, status from command_calls m where m.command_id = ${commandId} and m.outcome = 'FIRST' and ${inScope(tx, scope, "m")} limit 1
    ) first on true
    left join appointments a on a.id = case when k.appointment_id is not null then k.appointment_id else counted.appointment_id end and ${inScope(tx, scope, "a")}`;
  if (!base) return null;
  const consumers = await tx.sql<StoryHead["consumers"]>`
    select i.consumer, count(d.id)::int as deliveries, count(d.id) filter (where d.outcome = 'DUPLICATE')::int as duplicates,
      i.attempts, i.state
    from announced_events o
    join inbox i on i.event_id = o.event_id
    left join inbox_deliveries d on d.inbox_id = i.id
    where o.command_id = ${commandId} and ${inScope(tx, scope, "i")}
    group by i.id
    order by min(i.received_at), i.consumer`;
  const open = await openWork(tx, scope, commandId);
  return toHead(commandId, base, [...consumers], open);
}

type Base = {
  tenant_ref: string;
  clinic_ref: string;
  clinic_name: string;
  zone: string;
  operation: string | null;
  status: number | null;
  key: string | null;
  fingerprint: string | null;
  expires_at: string | null;
  appointment_ref: string | null;
  appointment_version: string | null;
  appointment_status: string | null;
  as_of: string;
} & StoryHead["counts"];

function toHead(commandId: string, base: Base, consumers: StoryHead["consumers"], open: StoryOpen[]): StoryHead {
  const { calls, replayed, changes, events, published, left, intents, sent, suppressed, replays, records } = base;
  return {
    commandId,
    scope: { tenantGroupRef: base.tenant_ref, clinicRef: base.clinic_ref, clinicName: base.clinic_name, zone: base.zone },
    operation: base.operation,
    status: base.status,
    appointment: base.appointment_ref
      ? { ref: base.appointment_ref, version: base.appointment_version ?? "", status: base.appointment_status ?? "" }
      : null,
    key:
      base.key && base.fingerprint && base.expires_at
        ? { value: base.key, fingerprint: base.fingerprint, expiresAt: base.expires_at }
        : null,
    counts: { calls, replayed, changes, events, published, left, intents, sent, suppressed, replays, records },
    consumers,
    open,
    asOf: base.as_of,
  };
}

/** What still has to happen: an event to publish, one that no consumer has taken, a row that is not settled, a message that is not. */
async function openWork(tx: Tx, scope: OperationsScope, commandId: string): Promise<StoryOpen[]> {
  const rows = await tx.sql<StoryOpen[]>`
    select 'publish' as what, null as by, state, reason_code as "reasonCode", occurred_at as since, next_attempt_at as "nextAt",
      case when state = 'FAILED' then 'outbox.' || event_id end as "rowId"
    from outbox o
    where command_id = ${commandId} and ${inScope(tx, scope, "o")} and state not in ('PUBLISHED', 'SKIPPED')
    union all
    select 'take', null, state, null, published_at, null, null
    from outbox o
    where command_id = ${commandId} and ${inScope(tx, scope, "o")} and state = 'PUBLISHED'
      and not exists (select from inbox i where i.event_id = o.event_id)
    union all
    select 'consume', i.consumer, case when i.reason_code = 'BLOCKED_BY' then 'BLOCKED_BY' else i.state end, i.reason_code,
      coalesce(i.quarantined_at, i.received_at), i.next_attempt_at, 'inbox.' || i.id
    from announced_events o
    join inbox i on i.event_id = o.event_id
    where o.command_id = ${commandId} and ${inScope(tx, scope, "i")} and i.state <> 'PROCESSED'
    union all
    select 'send', provider, state, reason_code, created_at, case when state in ('PENDING', 'RETRY_WAIT') then next_attempt_at end, null
    from notification_intents n
    where command_id = ${commandId} and ${inScope(tx, scope, "n")} and state not in ('SENT', 'SUPPRESSED')
    order by since
    limit 50`;
  return [...rows];
}

/**
 * One bounded part of the records in the order of their instants; `after` is the cursor of the part before. Records of the command's own
 * transaction share its instant: the moment at which its answer was stored, or its audit entry when a worker decided it without a call.
 */
export async function storyRecords(
  tx: Tx,
  scope: OperationsScope,
  commandId: string,
  after: StoryCursor | null,
  limit: number,
): Promise<StoryPart> {
  const beyond = after ? tx.sql`where (at, rank, id) > (${after.at}::timestamptz, ${after.rank}::int, ${after.id})` : tx.sql``;
  const rows = await tx.sql<(StoryRecord & { rank: number })[]>`
    with record as (${recordsSql(tx, scope, commandId)})
    select kind, id, at, rank, in_transaction as "inTransaction", what, reason_code as "reasonCode", by, number, attempts_max as "attemptsMax",
      duration_ms as "durationMs", partition, "offset", due_at as "dueAt", detail, row_id as "rowId", request_id as "requestId"
    from record
    ${beyond}
    order by at, rank, id
    limit ${limit + 1}`;
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const records = rows.slice(0, limit).map(({ rank: _, ...record }) => record);
  return { records, next: last ? { at: last.at, rank: last.rank, id: last.id } : null };
}

const inScope = (tx: Tx, scope: OperationsScope, alias: string) =>
  tx.sql`${tx.sql(alias)}.tenant_group_id = ${scope.tenantGroupId} and ${tx.sql(alias)}.clinic_id = any (${[...scope.clinicIds]}::uuid[])`;

/**
 * All records of one command as rows of one shape. Calls that were told to wait know no command: they belong to it when they came under its key
 * after its first call and before the key was taken again. An audit entry that names a command is written by the command's own transaction and by no
 * other. Not told by xmin: the sealer gives each entry its place in the chain within seconds, and with it another one.
 */
function recordsSql(tx: Tx, scope: OperationsScope, commandId: string) {
  const within = (alias: string) => inScope(tx, scope, alias);
  return tx.sql`
    with own_call as (
      select m.*, m.called_at + make_interval(secs => m.duration_ms / 1000.0) as answered_at
      from command_calls m
      where m.command_id = ${commandId} and m.outcome = 'FIRST' and ${within("m")}
      limit 1
    ), decided as (
      select coalesce(
        (select answered_at from own_call),
        (select max(e.at) from audit_entries e where e.command_id = ${commandId} and ${within("e")})) as at
    )
    select 'call' as kind, m.id::text as id, m.called_at as at, 0 as rank, m.clinic_id, null::uuid as appointment_id, false as in_transaction,
      m.outcome as what, null::text as reason_code, m.actor_kind as by, m.status::int as number, null::int as attempts_max, m.duration_ms,
      null::int as partition, null::text as "offset", null::timestamptz as due_at, m.request_id as detail, null::text as row_id, null::uuid as request_id
    from command_calls m
    where m.command_id = ${commandId} and ${within("m")}
    union all
    select 'call', w.id::text, w.called_at, 0, w.clinic_id, null, false, w.outcome, null, w.actor_kind, w.status::int, null, w.duration_ms,
      null, null, null, w.request_id, null, null
    from own_call f
    join command_calls w on w.tenant_group_id = f.tenant_group_id and w.clinic_id = f.clinic_id and w.caller = f.caller and w.key = f.key
      and w.command_id is null and w.called_at >= f.called_at
    where not exists (
      select from command_calls later
      where later.tenant_group_id = f.tenant_group_id and later.clinic_id = f.clinic_id and later.caller = f.caller and later.key = f.key
        and later.outcome = 'FIRST' and later.called_at > f.called_at and later.called_at <= w.called_at)
    union all
    select 'key', f.id::text, f.answered_at, 1, f.clinic_id, k.appointment_id, true, 'STORED', null, null, f.status::int, null, null,
      null, null, null, k.fingerprint, null, null
    from own_call f
    left join idempotency_keys k on k.command_id = f.command_id
    union all
    select 'change', h.id::text, coalesce(f.at, h.at), 2, h.clinic_id, h.appointment_id, true, h.change, h.reason_code, h.actor_ref,
      h.version::int, null, null, null, null, h.to_starts_at, d.ref, null, null
    from appointment_history h
    cross join decided f
    left join doctors d on d.id = h.to_doctor_id
    where h.command_id = ${commandId} and ${within("h")}
    union all
    select 'intent', n.id::text, case when n.kind = 'REMINDER' then n.created_at else coalesce(f.at, n.created_at) end, 3, n.clinic_id,
      n.appointment_id, n.kind <> 'REMINDER', n.kind, null, null, n.appointment_version::int, null, null, null, null, null, null, null, null
    from notification_intents n
    cross join decided f
    where n.command_id = ${commandId} and ${within("n")}
    union all
    select 'event', o.event_id::text, coalesce(f.at, o.occurred_at), 4, o.clinic_id,
      case when o.aggregate_type = 'appointment' then o.aggregate_id end, true, o.type, null, null, o.aggregate_seq::int, null, null, null, null,
      null, null, null, null
    from announced_events o
    cross join decided f
    where o.command_id = ${commandId} and ${within("o")}
    union all
    select 'audit', e.id::text, coalesce(f.at, e.at), 5, e.clinic_id, null, true,
      e.act, e.reason_code, e.actor_ref, null, null, null, null, null, null, e.result, null, null
    from audit_entries e
    cross join decided f
    where e.command_id = ${commandId} and ${within("e")}
    union all
    select 'published', o.event_id::text, o.published_at, 6, o.clinic_id, null, false, o.state, null, null, o.attempts, null, null, o.log_partition,
      o.log_offset::text, null, o.topic, null, null
    from announced_events o
    where o.command_id = ${commandId} and ${within("o")} and o.state = 'PUBLISHED'
    union all
    select 'left', 'left.' || p.event_id, p.left_at, 13, p.clinic_id, null, false, p.type, null, null, p.aggregate_seq::int, null, null, null, null, null,
      null, null, null
    from publications p
    where p.command_id = ${commandId} and ${within("p")}
    union all
    select 'delivery', d.id::text, d.at, 7, d.clinic_id, null, false, d.outcome, d.reason_code, d.consumer, d.attempt, i.attempts_max, d.duration_ms,
      d.partition, d."offset"::text, null, d.worker, 'inbox.' || d.inbox_id, d.replay_request_id
    from announced_events o
    join inbox i on i.event_id = o.event_id
    join inbox_deliveries d on d.inbox_id = i.id
    where o.command_id = ${commandId} and ${within("i")} and ${within("d")}
    union all
    select 'sending', s.id::text, s.at, 8, s.clinic_id, null, false, s.outcome, s.reason_code, s.provider, s.attempt, null, s.duration_ms, null, null,
      null, n.kind, null, null
    from notification_deliveries s
    join notification_intents n on n.id = s.intent_id
    where s.command_id = ${commandId} and ${within("s")}
    union all
    select 'reminder', r.id::text, r.updated_at, 9, r.clinic_id, r.appointment_id, false, r.state, r.reason_code, null, r.appointment_version::int,
      null, null, null, null, r.due_at, null, null, null
    from reminders r
    where r.command_id = ${commandId} and ${within("r")}
    ${replaySql(tx, scope, commandId)}`;
}

/** Steps of replays in which a delivery of the command is an item: refused, approved (by the second person where one is needed), settled. */
function replaySql(tx: Tx, scope: OperationsScope, commandId: string) {
  const within = (alias: string) => inScope(tx, scope, alias);
  return tx.sql`
    union all
    select 'replay', 'approved.' || r.request_id || '.' || t.position, coalesce(r.second_approved_at, r.approved_at), 10, t.clinic_id, null, false, 'APPROVED',
      null, coalesce(r.second_approver_ref, r.approver_ref), r.records, null, null, null, null, null, r.job_ref, 'inbox.' || t.inbox_id, r.request_id
    from announced_events o
    join inbox i on i.event_id = o.event_id
    join replay_items t on t.inbox_id = i.id
    join replay_requests r on r.request_id = t.request_id
    where o.command_id = ${commandId} and ${within("i")} and ${within("t")} and r.approved_at is not null
      and (r.second_approved_at is not null or not r.needs_second)
    union all
    select 'replay', 'settled.' || r.request_id || '.' || t.position, t.settled_at, 11, t.clinic_id, null, false, t.outcome, t.reason_code, r.consumer,
      null, null, null, t.partition, t."offset"::text, null, r.job_ref, 'inbox.' || t.inbox_id, r.request_id
    from announced_events o
    join inbox i on i.event_id = o.event_id
    join replay_items t on t.inbox_id = i.id
    join replay_requests r on r.request_id = t.request_id
    where o.command_id = ${commandId} and ${within("i")} and ${within("t")} and t.settled_at is not null
    union all
    select 'replay', 'refused.' || f.id, f.at, 12, f.clinic_id, null, false, 'REFUSED', null, f.actor_ref, cardinality(f.failed), null, null, null, null, null,
      f.ref, 'inbox.' || i.id, f.request_id
    from announced_events o
    join inbox i on i.event_id = o.event_id
    join replay_refusals f on f.subject = i.id::text and f.tenant_group_id = i.tenant_group_id
    where o.command_id = ${commandId} and ${within("i")} and ${within("f")}`;
}
