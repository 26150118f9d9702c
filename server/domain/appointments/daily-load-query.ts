import type { Tx } from "@/db/client";
import { toIso } from "@/server/clock";
import { countedByState } from "./daily-load-counts";

type Scope = { tenantGroupId?: string; clinicIds?: readonly string[] };
export type DailyLoad = {
  /** Clinic-local day, YYYY-MM-DD. */
  localDate: string;
  booked: number;
  arrived: number;
  done: number;
  noShow: number;
  /** Instant of the last event that is in these numbers; later changes are still on their way. */
  asOf: string;
};

/** The days `from` to `until` (clinic-local, both inclusive) of a clinic in scope. A day without a row has had no visit. */
export async function dailyLoad(tx: Tx, scope: Scope, clinicId: string, from: string, until: string): Promise<DailyLoad[]> {
  if (scope.clinicIds && !scope.clinicIds.includes(clinicId)) return [];
  const rows = await tx.sql<(Omit<DailyLoad, "asOf"> & { as_of: string })[]>`
    select local_date::text as "localDate", booked, arrived, done, no_show as "noShow", as_of
    from daily_load
    where tenant_group_id = ${scope.tenantGroupId ?? null} and clinic_id = ${clinicId} and local_date between ${from} and ${until}
    order by local_date`;
  return rows.map(({ as_of, ...day }) => ({ ...day, asOf: toIso(as_of) }));
}

export type DailyLoadDifference = { clinicId: string; localDate: string; projected: number[]; actual: number[] };

/**
 * Compares the projection with the visits themselves, for tests and the invariant checker: one entry for each clinic day whose numbers
 * (booked, arrived, done, no-show) differ. Empty once every event has been applied.
 */
export async function checkDailyLoad(tx: Tx): Promise<DailyLoadDifference[]> {
  const rows = await tx.sql<{ clinic_id: string; local_date: string; projected: number[]; actual: number[] }[]>`
    with actual as (
      select c.clinic_id, c.local_date, ${countedByState(tx)}
      from (select clinic_id, local_date, status, 1 as sign from appointments) c
      group by c.clinic_id, c.local_date
    ), compared as (
      select clinic_id, local_date::text,
             array[coalesce(d.booked, 0), coalesce(d.arrived, 0), coalesce(d.done, 0), coalesce(d.no_show, 0)] as projected,
             array[coalesce(a.booked, 0), coalesce(a.arrived, 0), coalesce(a.done, 0), coalesce(a.no_show, 0)] as actual
      from actual a
      full join daily_load d using (clinic_id, local_date)
    )
    select * from compared where projected <> actual order by clinic_id, local_date`;
  return rows.map((row) => ({ clinicId: row.clinic_id, localDate: row.local_date, projected: row.projected, actual: row.actual }));
}

/**
 * Makes the projection anew from the visits of a tenant group: after a bulk import, whose visits have no events, or to mend a difference. Events that are
 * still on their way are of versions already counted, so they change nothing. Returns the number of visits counted.
 */
export async function rebuildDailyLoad(tx: Tx, tenantGroupId: string): Promise<number> {
  await tx.sql`lock table daily_load in share row exclusive mode`; // the consumer waits, or its batch would be counted and then overwritten
  await tx.sql`delete from daily_load where tenant_group_id = ${tenantGroupId}`;
  await tx.sql`delete from daily_load_visits where tenant_group_id = ${tenantGroupId}`;
  const visits = await tx.sql`
    insert into daily_load_visits (appointment_id, tenant_group_id, clinic_id, local_date, status, version)
    select id, tenant_group_id, clinic_id, local_date, status, version from appointments where tenant_group_id = ${tenantGroupId}`;
  await tx.sql`
    insert into daily_load (tenant_group_id, clinic_id, local_date, booked, arrived, done, no_show, as_of)
    select v.tenant_group_id, v.clinic_id, v.local_date, v.booked, v.arrived, v.done, v.no_show, clock_timestamp()
    from (
      select c.tenant_group_id, c.clinic_id, c.local_date, ${countedByState(tx)}
      from (select *, 1 as sign from daily_load_visits where tenant_group_id = ${tenantGroupId}) c
      group by c.tenant_group_id, c.clinic_id, c.local_date
    ) v`;
  return visits.count;
}
