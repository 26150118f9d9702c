import type { Tx } from "@/db/client";
import type { AppointmentChangeV1 } from "@/server/domain/event-log/contracts/appointment-v1";
import type { PublishedEvent } from "@/server/domain/event-log/envelope";
import { done, noEffect, type Outcome } from "@/server/domain/inbox/types";
import { countedByState } from "./daily-load-counts";

/** Why an event changed nothing here. */
export type DailyLoadReason = "ALREADY_COUNTED";

/**
 * The handler of daily-load-v1: applies a batch of one tenant group to the projection in one statement. A visit is counted by the newest version seen;
 * an event of this or an older one changes nothing (ALREADY_COUNTED), in whatever order and however often it comes.
 */
export async function applyDailyLoad(tx: Tx, events: readonly PublishedEvent<AppointmentChangeV1>[]): Promise<Outcome<DailyLoadReason>[]> {
  if (events.length === 0) return [];
  const column = <T>(of: (event: PublishedEvent<AppointmentChangeV1>) => T) => events.map(of);
  // old.* and new.* of one RETURNING: what was counted is read from the very row that is written, so two batches that meet on a visit cannot both take it
  // off. Both inserts go in key order, so two batches of one clinic wait for each other instead of deadlocking.
  const applied = await tx.sql<{ appointment_id: string; old_version: string | null }[]>`
    with incoming as (
      select distinct on (appointment_id) *
      from unnest(
        ${column((e) => e.payload.appointmentId)}::uuid[], ${column((e) => e.clinicId)}::uuid[], ${column((e) => e.payload.localDate)}::date[],
        ${column((e) => e.payload.toStatus)}::text[], ${column((e) => e.payload.version)}::bigint[], ${column((e) => e.occurredAt)}::timestamptz[]
      ) as e (appointment_id, clinic_id, local_date, status, version, occurred_at)
      order by appointment_id, version desc
    ), applied as (
      insert into daily_load_visits as v (appointment_id, tenant_group_id, clinic_id, local_date, status, version)
      select appointment_id, ${events[0]?.tenantGroupId ?? null}::uuid, clinic_id, local_date, status, version
      from incoming
      order by appointment_id
      on conflict (appointment_id) do update
      set local_date = excluded.local_date, status = excluded.status, version = excluded.version
      where v.version < excluded.version
      returning new.appointment_id, new.tenant_group_id, new.clinic_id, new.local_date, new.status,
                old.local_date as old_date, old.status as old_status, old.version as old_version
    ), counted as (
      select tenant_group_id, clinic_id, local_date, status, appointment_id, 1 as sign from applied
      union all
      select tenant_group_id, clinic_id, old_date, old_status, appointment_id, -1 from applied where old_version is not null
    ), delta as (
      select c.tenant_group_id, c.clinic_id, c.local_date, max(i.occurred_at) as as_of, ${countedByState(tx)}
      from counted c
      join incoming i using (appointment_id)
      group by c.tenant_group_id, c.clinic_id, c.local_date
    ), written as (
      insert into daily_load as d (tenant_group_id, clinic_id, local_date, booked, arrived, done, no_show, as_of)
      -- a day without a row loses nothing; without greatest() the check of the proposed row would refuse a loss before the conflict is seen
      select tenant_group_id, clinic_id, local_date, greatest(booked, 0), greatest(arrived, 0), greatest(done, 0), greatest(no_show, 0), as_of
      from delta
      order by clinic_id, local_date
      on conflict (tenant_group_id, clinic_id, local_date) do update
      set (booked, arrived, done, no_show) = (
            select d.booked + x.booked, d.arrived + x.arrived, d.done + x.done, d.no_show + x.no_show
            from delta x
            where x.clinic_id = excluded.clinic_id and x.local_date = excluded.local_date
          ),
          as_of = greatest(d.as_of, excluded.as_of)
    )
    select appointment_id, old_version from applied`;
  const before = new Map(applied.map((row) => [row.appointment_id, BigInt(row.old_version ?? 0)]));
  const isNew = ({ appointmentId, version }: PublishedEvent<AppointmentChangeV1>["payload"]) =>
    BigInt(version) > (before.get(appointmentId) ?? BigInt(version));
  return events.map(({ payload }) => (isNew(payload) ? done : noEffect("ALREADY_COUNTED")));
}
