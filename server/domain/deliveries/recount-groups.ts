import { type Db, type Tx, withRead, withTx } from "@/db/client";

export type CounterFaults = {
  /** Stopped rows without an open or kept task. */
  missingTasks: number;
  /** Open or kept tasks of rows that are not stopped. */
  strayTasks: number;
  /** Reason groups that count something else than their tasks. */
  wrongGroups: number;
};

/** Whether tasks and counters say what the rows say. Runs as the migrator, over all tenant groups. */
export const checkCounters = (db: Db): Promise<CounterFaults> => withRead(db, {}, countFaults, { deadlineMs: 120_000 });

/**
 * Makes tasks and counters again what the rows say, in one transaction; writers of tasks wait meanwhile. What STAFF wrote stays. Answers what was
 * wrong before.
 */
export function recountGroups(db: Db): Promise<CounterFaults> {
  const work = async (tx: Tx): Promise<CounterFaults> => {
    await tx.sql`lock table delivery_tasks, delivery_groups in share row exclusive mode`;
    const faults = await countFaults(tx);
    await tx.sql`
      insert into delivery_tasks as d (row_id, row_kind, tenant_group_id, clinic_id, consumer, reason_code, row_version, stopped_at)
      select ${stoppedColumns(tx)} from (${stoppedRows(tx)}) s
      where not exists (select from delivery_tasks t where t.row_id = s.row_id and t.status <> 'CLOSED')
      on conflict (row_id) do update
      set status = 'OPEN', reason_code = excluded.reason_code, row_version = excluded.row_version, stopped_at = excluded.stopped_at, version = d.version + 1`;
    await tx.sql`
      update delivery_tasks t
      set status = 'CLOSED', kept_at = null, kept_by_ref = null, kept_reason = null, version = version + 1
      where t.status <> 'CLOSED' and not exists (select from (${stoppedRows(tx)}) s where s.row_id = t.row_id)`;
    await tx.sql`
      update delivery_groups g
      set open = counted.open, kept = counted.kept
      from (${countedGroups(tx)}) counted
      where counted.id = g.id and (g.open <> counted.open or g.kept <> counted.kept)`;
    return faults;
  };
  return withTx(db, {}, work, { deadlineMs: 120_000 });
}

async function countFaults(tx: Tx): Promise<CounterFaults> {
  const [row] = await tx.sql<CounterFaults[]>`
    select
      (select count(*)::int from (${stoppedRows(tx)}) s
        where not exists (select from delivery_tasks t where t.row_id = s.row_id and t.status <> 'CLOSED')) as "missingTasks",
      (select count(*)::int from delivery_tasks t
        where t.status <> 'CLOSED' and not exists (select from (${stoppedRows(tx)}) s where s.row_id = t.row_id)) as "strayTasks",
      (select count(*)::int from delivery_groups g join (${countedGroups(tx)}) c on c.id = g.id
        where g.open <> c.open or g.kept <> c.kept) as "wrongGroups"`;
  if (!row) throw new Error("a count without a row");
  return row;
}

const stoppedColumns = (tx: Tx) => tx.sql`row_id, row_kind, tenant_group_id, clinic_id, consumer, reason_code, row_version, stopped_at`;

const stoppedRows = (tx: Tx) => tx.sql`
  select id as row_id, 'inbox' as row_kind, tenant_group_id, clinic_id, consumer, reason_code, version as row_version, quarantined_at as stopped_at
  from inbox where state = 'QUARANTINED'
  union all
  select event_id, 'outbox', tenant_group_id, clinic_id, 'outbox-relay', reason_code, fence, occurred_at from outbox where state = 'FAILED'`;

/** Every group with the numbers of its tasks, a group without any with zeroes. */
const countedGroups = (tx: Tx) => tx.sql`
  select g.id, count(t.row_id) filter (where t.status = 'OPEN')::int as open, count(t.row_id) filter (where t.status = 'KEPT')::int as kept
  from delivery_groups g
  left join delivery_tasks t
    on t.clinic_id = g.clinic_id and t.row_kind = g.row_kind and t.consumer = g.consumer and t.reason_code = g.reason_code and t.status <> 'CLOSED'
  group by g.id`;
