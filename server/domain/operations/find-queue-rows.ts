import type { PendingQuery, Row } from "postgres";
import type { Tx } from "@/db/client";
import { isOfBusiness } from "./of-business";
import type { OperationsScope, QueueCursor, QueueFilter, QueueGroup, QueueRange, RowKind } from "./types";

export type Found = { kind: RowKind; id: string; at: string };
export type Wanted = {
  scope: OperationsScope;
  group: QueueGroup;
  filter: QueueFilter;
  /** Rows that a typed identity leads to; null: none was typed. */
  named: { inbox: string[]; outbox: string[]; commands: string[] } | null;
  /** Whose rows "mine" are. */
  userId: string;
  cursor: QueueCursor | null;
  limit: number;
};

/**
 * Keys of one page in one group, by keyset: each source of the group is read from the cursor on, clinic by clinic, in the order of an index, and no
 * more of it than a page; the merge of these is the page. What a page costs does not depend on how many lie before it or how many there are.
 * The waiting group runs forwards in time, the others backwards; ties go by id.
 */
export async function findQueueRows(tx: Tx, wanted: Wanted): Promise<Found[]> {
  const parts = sourcesOf(tx, wanted);
  if (parts.length === 0) return [];
  const sql = tx.sql;
  const forwards = wanted.group === "WAITING";
  const union = parts.slice(1).reduce((all, part) => sql`${all} union all (${part})`, sql`(${parts[0] as Part})`);
  return sql<Found[]>`
    select found.kind, found.id, found.at
    from unnest(${[...wanted.scope.clinicIds]}::uuid[]) clinic (id)
    cross join lateral (${union}) found
    ${forwards ? sql`order by found.at, found.id` : sql`order by found.at desc, found.id desc`}
    limit ${wanted.limit}`;
}

/** A piece of a statement. */
type Part = PendingQuery<Row[]>;

/** The time of what has none. */
const never = "infinity";

function sourcesOf(tx: Tx, wanted: Wanted): Part[] {
  const { filter, group } = wanted;
  const wants = (state: QueueFilter["states"][number]) => filter.states.length === 0 || filter.states.includes(state);
  if (group === "DECISION") return [openTasks(tx, wanted)];
  if (filter.mine) return [];
  if (group === "WAITING")
    return [waitingRows(tx, wanted), blockedRows(tx, wanted), ...(filter.states.length === 0 ? [runningRows(tx, wanted)] : [])];
  return [
    ...(wants("PROCESSED") ? [settledDeliveries(tx, wanted, "PROCESSED")] : []),
    ...(wants("DUPLICATE") ? [settledDeliveries(tx, wanted, "DUPLICATE")] : []),
    ...(wants("DUPLICATE") && !filter.consumer && !filter.reason ? [commandsCalledAgain(tx, wanted)] : []),
    ...(wants("QUARANTINED") ? [keptTasks(tx, wanted)] : []),
  ];
}

/** The part of a source that lies behind the cursor, in order, at most one page; `at` and `id` are its columns that sort. */
function page(tx: Tx, { cursor, limit }: Wanted, at: Part, id: Part, forwards = false): { beyond: Part; order: Part } {
  const sql = tx.sql;
  const last = cursor?.id.split(".")[1] ?? null;
  const beyond = !cursor
    ? sql``
    : forwards
      ? sql`and (${at}, ${id}) > (${cursor.at}::timestamptz, ${last}::uuid)`
      : sql`and (${at}, ${id}) < (${cursor.at}::timestamptz, ${last}::uuid)`;
  return { beyond, order: forwards ? sql`order by ${at}, ${id} limit ${limit}` : sql`order by ${at} desc, ${id} desc limit ${limit}` };
}

const only = (tx: Tx, column: Part, value: string | undefined): Part => (value === undefined ? tx.sql`` : tx.sql`and ${column} = ${value}`);
const among = (tx: Tx, column: Part, ids: string[] | undefined): Part => (ids ? tx.sql`and ${column} = any (${ids}::uuid[])` : tx.sql``);

const hoursOf: Record<Exclude<QueueRange, "all">, number> = { "1h": 1, "24h": 24, "7d": 168 };
/** A bound on the column that the index sorts by, where there is one: a range reads no more than its page. */
const since = (tx: Tx, column: Part, range: QueueRange | undefined): Part =>
  range === undefined || range === "all"
    ? tx.sql``
    : tx.sql`and ${column} > statement_timestamp() - make_interval(hours => ${hoursOf[range]})`;

function openTasks(tx: Tx, wanted: Wanted): Part {
  const { filter, named, userId } = wanted;
  const { beyond, order } = page(tx, wanted, tx.sql`t.stopped_at`, tx.sql`t.row_id`);
  return tx.sql`
    select t.row_kind as kind, t.row_id as id, t.stopped_at as at
    from delivery_tasks t
    where t.clinic_id = clinic.id and t.status = 'OPEN' ${beyond} ${since(tx, tx.sql`t.stopped_at`, filter.since)}
      ${filter.states.length === 0 ? tx.sql`` : tx.sql`and t.row_kind = 'inbox'`}
      ${filter.mine ? tx.sql`and t.assignee_id = ${userId}` : tx.sql``}
      ${only(tx, tx.sql`t.consumer`, filter.consumer)} ${only(tx, tx.sql`t.reason_code`, filter.reason)}
      ${among(tx, tx.sql`t.row_id`, named ? [...named.inbox, ...named.outbox] : undefined)}
    ${order}`;
}

function keptTasks(tx: Tx, wanted: Wanted): Part {
  const { filter, named } = wanted;
  const { beyond, order } = page(tx, wanted, tx.sql`t.kept_at`, tx.sql`t.row_id`);
  return tx.sql`
    select t.row_kind as kind, t.row_id as id, t.kept_at as at
    from delivery_tasks t
    where t.clinic_id = clinic.id and t.status = 'KEPT' ${beyond} ${since(tx, tx.sql`t.kept_at`, filter.since)}
      ${only(tx, tx.sql`t.consumer`, filter.consumer)} ${only(tx, tx.sql`t.reason_code`, filter.reason)} ${among(tx, tx.sql`t.row_id`, named?.inbox)}
    ${order}`;
}

/** Next attempt first. */
function waitingRows(tx: Tx, wanted: Wanted): Part {
  const { filter, named } = wanted;
  const { beyond, order } = page(tx, wanted, tx.sql`i.next_attempt_at`, tx.sql`i.id`, true);
  return tx.sql`
    select 'inbox' as kind, i.id, i.next_attempt_at as at
    from inbox i
    where i.clinic_id = clinic.id and i.state = 'RETRYABLE' and i.next_attempt_at is not null ${beyond}
      ${since(tx, tx.sql`i.updated_at`, filter.since)}
      ${only(tx, tx.sql`i.consumer`, filter.consumer)} ${only(tx, tx.sql`i.reason_code`, filter.reason)} ${among(tx, tx.sql`i.id`, named?.inbox)}
    ${order}`;
}

/** Rows behind another one have no time of their own: they follow those that have one, by id. */
function blockedRows(tx: Tx, wanted: Wanted): Part {
  const { filter, named, cursor } = wanted;
  const behind = cursor?.at === never ? tx.sql`and i.id > ${cursor.id.split(".")[1] ?? ""}::uuid` : tx.sql``;
  return tx.sql`
    select 'inbox' as kind, i.id, ${never}::timestamptz as at
    from inbox i
    where i.clinic_id = clinic.id and i.state = 'RETRYABLE' and i.next_attempt_at is null ${behind}
      ${since(tx, tx.sql`i.updated_at`, filter.since)}
      ${only(tx, tx.sql`i.consumer`, filter.consumer)} ${only(tx, tx.sql`i.reason_code`, filter.reason)} ${among(tx, tx.sql`i.id`, named?.inbox)}
    order by i.next_attempt_at, i.id -- the order of inbox_waiting; by id alone the primary key would be read from end to end
    limit ${wanted.limit}`;
}

/** Few at any moment: no more than the workers hold. */
function runningRows(tx: Tx, wanted: Wanted): Part {
  const { filter, named } = wanted;
  const { beyond, order } = page(tx, wanted, tx.sql`i.lease_until`, tx.sql`i.id`, true);
  return tx.sql`
    select 'inbox' as kind, i.id, i.lease_until as at
    from inbox i
    where i.clinic_id = clinic.id and i.state = 'PROCESSING' ${beyond} ${since(tx, tx.sql`i.updated_at`, filter.since)}
      ${only(tx, tx.sql`i.consumer`, filter.consumer)} ${only(tx, tx.sql`i.reason_code`, filter.reason)} ${among(tx, tx.sql`i.id`, named?.inbox)}
    ${order}`;
}

/** What was finished or met again, in the last 24 hours unless another range is asked for; from the append-only records that the tiles count too. */
function settledDeliveries(tx: Tx, wanted: Wanted, outcome: "PROCESSED" | "DUPLICATE"): Part {
  const { filter, named } = wanted;
  const id = outcome === "PROCESSED" ? tx.sql`d.inbox_id` : tx.sql`d.id`;
  const { beyond, order } = page(tx, wanted, tx.sql`d.at`, id);
  return tx.sql`
    select ${outcome === "PROCESSED" ? "inbox" : "delivery"}::text as kind, ${id} as id, d.at
    from inbox_deliveries d
    where d.clinic_id = clinic.id and d.outcome = ${outcome} ${since(tx, tx.sql`d.at`, filter.since ?? "24h")} ${beyond}
      ${only(tx, tx.sql`d.consumer`, filter.consumer)} ${only(tx, tx.sql`d.reason_code`, filter.reason)} ${among(tx, tx.sql`d.inbox_id`, named?.inbox)}
    ${order}`;
}

/** One row for a command, at its latest call. What STAFF do here is no command of the business: its repeats are their own affair. */
function commandsCalledAgain(tx: Tx, wanted: Wanted): Part {
  const { filter, named } = wanted;
  const { beyond, order } = page(tx, wanted, tx.sql`c.called_at`, tx.sql`c.command_id`);
  return tx.sql`
    select 'command' as kind, c.command_id as id, c.called_at as at
    from command_calls c
    where c.clinic_id = clinic.id and c.outcome = 'REPLAYED' ${since(tx, tx.sql`c.called_at`, filter.since ?? "24h")}
      and ${isOfBusiness(tx, "c.operation")} ${beyond} ${among(tx, tx.sql`c.command_id`, named?.commands)}
      and not exists (
        select from command_calls later
        where later.command_id = c.command_id and later.outcome = 'REPLAYED' and (later.called_at, later.id) > (c.called_at, c.id))
    ${order}`;
}
