import { type Db, type Tx, withRead, withTx } from "@/db/client";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";

export type CounterFaults = {
  /** Stopped rows without an open or kept task. */
  missingTasks: number;
  /** Open or kept tasks of rows that are not stopped. */
  strayTasks: number;
  /** Open or kept tasks that name another reason or consumer than their row. */
  wrongTasks: number;
  /** Reason groups that count something else than their tasks, or are not there. */
  wrongGroups: number;
};
type TenantFaults = CounterFaults & { tenantGroupId: string };

/** Whether tasks and counters say what the rows say. Runs as the migrator, over all tenant groups. */
export const checkCounters = async (db: Db): Promise<CounterFaults> => sumOf(await withRead(db, {}, findFaults, { deadlineMs: 120_000 }));

/**
 * Makes tasks and counters again what the rows say, in one transaction; writers of tasks wait meanwhile. What STAFF wrote stays. What was wrong is an
 * audit entry of each tenant group that it was wrong in, under the name of `by`, and the answer.
 */
export function recountGroups(db: Db, by: string): Promise<CounterFaults> {
  const work = async (tx: Tx): Promise<CounterFaults> => {
    await tx.sql`lock table delivery_tasks, delivery_groups in share row exclusive mode`;
    const faults = await findFaults(tx);
    await recount(tx); // first: the counts move with the tasks below, and none may fall under zero
    await mendTasks(tx);
    await recount(tx);
    for (const { tenantGroupId, ...found } of faults)
      await appendAuditEntry(tx, { kind: "command-line", tenantGroupId, ref: by }, { act: "delivery.recounted", details: found });
    return sumOf(faults);
  };
  return withTx(db, {}, work, { deadlineMs: 120_000 });
}

async function mendTasks(tx: Tx): Promise<void> {
  await tx.sql`
    insert into delivery_tasks as d (row_id, row_kind, tenant_group_id, clinic_id, consumer, reason_code, row_version, stopped_at)
    select ${stoppedColumns(tx)} from (${stoppedRows(tx)}) s
    where not exists (select from delivery_tasks t where t.row_id = s.row_id and t.status <> 'CLOSED')
    on conflict (row_id) do update
    set status = 'OPEN', consumer = excluded.consumer, reason_code = excluded.reason_code, row_version = excluded.row_version,
        stopped_at = excluded.stopped_at, version = d.version + 1`;
  await tx.sql`
    update delivery_tasks t
    set status = 'CLOSED', kept_at = null, kept_by_ref = null, kept_reason = null, version = version + 1
    where t.status <> 'CLOSED' and not exists (select from (${stoppedRows(tx)}) s where s.row_id = t.row_id)`;
  await tx.sql`
    update delivery_tasks t
    set consumer = s.consumer, reason_code = s.reason_code, version = t.version + 1
    from (${stoppedRows(tx)}) s
    where s.row_id = t.row_id and t.status <> 'CLOSED' and ${namesAnother(tx)}`;
}

async function recount(tx: Tx): Promise<void> {
  await tx.sql`
    insert into delivery_groups as g (tenant_group_id, clinic_id, row_kind, consumer, reason_code, open, kept)
    select tenant_group_id, clinic_id, row_kind, consumer, reason_code, coalesce(open, 0), coalesce(kept, 0) from (${comparedGroups(tx)}) c where ${differs(tx)}
    on conflict on constraint delivery_groups_key do update set open = excluded.open, kept = excluded.kept`;
}

/** One row for each tenant group in which something is wrong. */
async function findFaults(tx: Tx): Promise<TenantFaults[]> {
  const rows = await tx.sql<TenantFaults[]>`
    with fault as (
      select s.tenant_group_id, 'missingTask' as kind from (${stoppedRows(tx)}) s
      where not exists (select from delivery_tasks t where t.row_id = s.row_id and t.status <> 'CLOSED')
      union all
      select t.tenant_group_id, 'strayTask' from delivery_tasks t
      where t.status <> 'CLOSED' and not exists (select from (${stoppedRows(tx)}) s where s.row_id = t.row_id)
      union all
      select t.tenant_group_id, 'wrongTask' from delivery_tasks t join (${stoppedRows(tx)}) s on s.row_id = t.row_id
      where t.status <> 'CLOSED' and ${namesAnother(tx)}
      union all
      select c.tenant_group_id, 'wrongGroup' from (${comparedGroups(tx)}) c where ${differs(tx)}
    )
    select tenant_group_id as "tenantGroupId",
      count(*) filter (where kind = 'missingTask')::int as "missingTasks", count(*) filter (where kind = 'strayTask')::int as "strayTasks",
      count(*) filter (where kind = 'wrongTask')::int as "wrongTasks", count(*) filter (where kind = 'wrongGroup')::int as "wrongGroups"
    from fault
    group by tenant_group_id`;
  return [...rows];
}

function sumOf(faults: readonly TenantFaults[]): CounterFaults {
  const sum = (fault: keyof CounterFaults) => faults.reduce((all, one) => all + one[fault], 0);
  return {
    missingTasks: sum("missingTasks"),
    strayTasks: sum("strayTasks"),
    wrongTasks: sum("wrongTasks"),
    wrongGroups: sum("wrongGroups"),
  };
}

const stoppedColumns = (tx: Tx) => tx.sql`row_id, row_kind, tenant_group_id, clinic_id, consumer, reason_code, row_version, stopped_at`;

const stoppedRows = (tx: Tx) => tx.sql`
  select id as row_id, 'inbox' as row_kind, tenant_group_id, clinic_id, consumer, reason_code, version as row_version, quarantined_at as stopped_at
  from inbox where state = 'QUARANTINED'
  union all
  select event_id, 'outbox', tenant_group_id, clinic_id, 'outbox-relay', reason_code, fence, occurred_at from outbox where state = 'FAILED'`;

const namesAnother = (tx: Tx) => tx.sql`(t.consumer, t.reason_code) is distinct from (s.consumer, s.reason_code)`;

/** Every group that is stored or that a task belongs to: what it counts beside what its tasks are. */
const comparedGroups = (tx: Tx) => tx.sql`
  select coalesce(g.tenant_group_id, t.tenant_group_id) as tenant_group_id, clinic_id, row_kind, consumer, reason_code, t.open, t.kept,
    g.open as stored_open, g.kept as stored_kept
  from delivery_groups g
  full join (
    select tenant_group_id, clinic_id, row_kind, consumer, reason_code,
      count(*) filter (where status = 'OPEN')::int as open, count(*) filter (where status = 'KEPT')::int as kept
    from delivery_tasks
    where status <> 'CLOSED'
    group by 1, 2, 3, 4, 5) t using (clinic_id, row_kind, consumer, reason_code)`;

const differs = (tx: Tx) => tx.sql`(c.stored_open, c.stored_kept) is distinct from (coalesce(c.open, 0), coalesce(c.kept, 0))`;
