import type { Tx } from "@/db/client";
import { planningNextActions } from "../planning/next-actions";
import type { PersonActor } from "../scope/actor";
import { degradedClinics } from "./planning-degraded";
import { atOf, groupOf, runColumns, runTables, type StoredRun, toRunRow } from "./planning-rows";
import type {
  NotificationRow,
  OfferedPlanningRow,
  OfferedRun,
  PlanningCursor,
  PlanningDays,
  PlanningFilter,
  PlanningPage,
  PlanningRow,
  RunRow,
} from "./planning-types";
import { type OperationsScope, type QueueGroup, queueGroups } from "./types";

/**
 * One page of the planning queue: what a person decides first (newest first), then what goes on by itself (next first), then what has ended (newest
 * first). `after` is the cursor of the page before; ties go by id, so that no row is left out or shown twice while others come.
 */
export async function planningQueue(
  tx: Tx,
  scope: OperationsScope,
  filter: PlanningFilter,
  after: PlanningCursor | null,
  limit: number,
): Promise<PlanningPage> {
  const rows: PlanningRow[] = [];
  for (const group of queueGroups.slice(after ? queueGroups.indexOf(after.group) : 0)) {
    if (!isWanted(group, filter)) continue;
    const cursor = after?.group === group ? after : null;
    const runs = await readRuns(tx, scope, filter, group, cursor, limit + 1 - rows.length);
    const degraded = group === "DECISION" ? await readDegraded(tx, scope, filter, cursor) : [];
    rows.push(...merged(runs, degraded, group));
    if (rows.length > limit) break;
  }
  const [clock] = await tx.sql<{ as_of: string }[]>`select clock_timestamp() as as_of`;
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { rows: rows.slice(0, limit), next: last ? { group: last.group, at: last.at, id: last.id } : null, asOf: clock?.as_of ?? "" };
}

function isWanted(group: QueueGroup, { tiles, decisionOnly }: PlanningFilter): boolean {
  if (decisionOnly && group !== "DECISION") return false;
  if (tiles.length === 0) return true;
  return group === "SETTLED" ? tiles.includes("APPLIED") : group === "DECISION" && tiles.some((tile) => tile !== "APPLIED");
}

/** States that the pressed tiles mean; null: all. */
const statesOf = ({ tiles }: PlanningFilter): string[] | null => (tiles.length === 0 ? null : tiles.filter((tile) => tile !== "DEGRADED"));

async function readRuns(
  tx: Tx,
  scope: OperationsScope,
  filter: PlanningFilter,
  group: QueueGroup,
  cursor: PlanningCursor | null,
  limit: number,
): Promise<RunRow[]> {
  const states = statesOf(filter);
  if (states?.length === 0 || limit <= 0) return [];
  const keys = await findKeys(tx, scope, filter, group, cursor, states, limit);
  if (keys.length === 0) return [];
  const found = await tx.sql<StoredRun[]>`
    select ${runColumns(tx)} from ${runTables(tx)} where r.id = any (${keys.map(({ id }) => id)}::uuid[])`;
  const rows: RunRow[] = [];
  for (const { id } of keys) {
    const run = found.find((one) => one.id === id);
    if (run) rows.push(await toRunRow(tx, scope, run, group, true)); // one connection: one after the other
  }
  return rows;
}

/**
 * Keys of one page in one group: of each clinic no more than a page, by index for what has ended, and the page is taken from these. What is open is few
 * at any moment.
 */
async function findKeys(
  tx: Tx,
  scope: OperationsScope,
  filter: PlanningFilter,
  group: QueueGroup,
  cursor: PlanningCursor | null,
  states: string[] | null,
  limit: number,
): Promise<{ id: string }[]> {
  const sql = tx.sql;
  const at = group === "SETTLED" ? sql`r.ended_at` : atOf(tx);
  const inGroup = group === "SETTLED" ? sql`r.ended_at is not null` : sql`r.ended_at is null and ${groupOf(tx)} = ${group}`;
  const forwards = group === "WAITING";
  const beyond = !cursor
    ? sql``
    : forwards
      ? sql`and (${at}, r.id) > (${cursor.at}::timestamptz, ${idOf(cursor)}::uuid)`
      : sql`and (${at}, r.id) < (${cursor.at}::timestamptz, ${idOf(cursor)}::uuid)`;
  return sql<{ id: string }[]>`
    select found.id
    from unnest(${[...scope.clinicIds]}::uuid[]) clinic (id)
    cross join lateral (
      select r.id, ${at} as at
      from planning_runs r
      join clinics c on c.id = r.clinic_id
      where r.clinic_id = clinic.id and r.tenant_group_id = ${scope.tenantGroupId} and ${inGroup}
        ${states ? sql`and r.state = any (${states}::text[])` : sql``} ${filter.search ? named(tx, filter.search) : sql``}
        ${filter.days ? meeting(tx, filter.days) : sql``} ${beyond}
      order by ${forwards ? sql`${at}, r.id` : sql`${at} desc, r.id desc`}
      limit ${limit}) found
    order by ${forwards ? sql`found.at, found.id` : sql`found.at desc, found.id desc`}
    limit ${limit}`;
}

/** The dates of the run meet the wanted ones; a name is read by the clock of each clinic. */
function meeting(tx: Tx, days: PlanningDays) {
  const today = tx.sql`(clock_timestamp() at time zone c.zone)::date`;
  if (days === "today") return tx.sql`and r.from_date <= ${today} and r.until_date >= ${today}`;
  if (days === "7d") return tx.sql`and r.from_date <= ${today} + 6 and r.until_date >= ${today}`;
  return tx.sql`and r.from_date <= ${days.until}::date and r.until_date >= ${days.from}::date`;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** An id that is no uuid is that of the notification row of its clinic. */
const idOf = ({ id }: PlanningCursor): string => id.split(".")[1] ?? "";

function named(tx: Tx, typed: string) {
  const text = typed.trim();
  const asUuid = uuid.test(text) ? text.toLowerCase() : null;
  const asPrefix = /^[0-9a-f]{6,64}$/i.test(text) ? `${text.toLowerCase()}%` : null;
  return tx.sql`
    and (r.ref = ${text.toUpperCase()} or c.ref = ${text.toUpperCase()} or r.id = ${asUuid}::uuid or r.command_id = ${asUuid}::uuid
      or r.fact_version like ${asPrefix}::text
      or exists (select from planning_run_moves m where m.run_id = r.id and m.appointment_ref = ${text.toUpperCase()}))`;
}

/** Few at any moment, one a clinic: the cursor is held against them here. */
async function readDegraded(
  tx: Tx,
  scope: OperationsScope,
  filter: PlanningFilter,
  cursor: PlanningCursor | null,
): Promise<NotificationRow[]> {
  if (filter.days || (filter.tiles.length > 0 && !filter.tiles.includes("DEGRADED"))) return [];
  const search = filter.search?.trim().toUpperCase();
  const rows = (await degradedClinics(tx, scope)).filter((row) => !search || row.clinicRef === search);
  return cursor ? rows.filter((row) => isAfter(row, cursor)) : rows;
}

/** Newest first; of one instant, the higher id first. */
const newestFirst = (a: PlanningRow, b: PlanningRow): number => compare(b.at, a.at) || compare(rawId(b.id), rawId(a.id));
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const rawId = (id: string): string => id.split(".")[1] ?? "";
const isAfter = (row: PlanningRow, cursor: PlanningCursor): boolean =>
  compare(row.at, cursor.at) < 0 || (row.at === cursor.at && rawId(row.id) < idOf(cursor));

const merged = (runs: RunRow[], degraded: NotificationRow[], group: QueueGroup): PlanningRow[] =>
  group === "DECISION" ? [...runs, ...degraded].sort(newestFirst) : runs;

/** The rows with what each offers to its reader, by the rule that guards the commands. */
export function offeredRun(row: RunRow, actor: PersonActor): OfferedRun {
  const { clinicId, runState: state, wanted, moves, requestedById } = row;
  return { ...row, actions: planningNextActions({ clinicId, state, wanted, moves, requestedById }, actor) };
}
export const offeredPage = (page: PlanningPage, actor: PersonActor): PlanningPage<OfferedPlanningRow> => ({
  ...page,
  rows: page.rows.map((row) => (row.kind === "run" ? offeredRun(row, actor) : row)),
});
