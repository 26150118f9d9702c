import { type Db, withTx } from "@/db/client";
import { reminderLeadHours } from "./plan-reminder";

export type RemindCounts = { sent: number; cancelled: number; moved: number };

/**
 * One bounded pass: a due reminder becomes an intent of the dispatcher, in one transaction and at most once for each version of its visit. Decides by the visit as it stands:
 * one that was moved waits for its new time although its event is still on its way, one that is off or has begun gets none.
 */
export function remindOnce(db: Db, worker: string, batchMax = 100): Promise<RemindCounts> {
  return withTx(db, { worker }, async (tx) => {
    const rows = await tx.sql<{ state: "PLANNED" | "SENT" | "CANCELLED" }[]>`
      with due as materialized (
        select id, tenant_group_id, clinic_id, appointment_id, command_id
        from reminders
        where state = 'PLANNED' and due_at <= (select clock_timestamp())
        order by due_at
        limit ${batchMax}
        for no key update skip locked
      ), decided as (
        select d.*, a.version, a.patient_id, a.starts_at - make_interval(hours => ${reminderLeadHours}::int) as due_at,
               case when a.status = 'CANCELLED' then 'VISIT_CANCELLED'
                    when a.status = 'PENDING_RESCHEDULE' then 'AWAITING_NEW_TIME'
                    when a.status = 'REQUESTED' then 'NOT_CONFIRMED'
                    when a.status <> 'CONFIRMED' or a.starts_at <= clock_timestamp() then 'VISIT_STARTED' end as reason
        from due d
        join appointments a on a.tenant_group_id = d.tenant_group_id and a.id = d.appointment_id
      ), sent as (
        insert into notification_intents (tenant_group_id, clinic_id, command_id, appointment_id, appointment_version, patient_id, kind)
        select tenant_group_id, clinic_id, command_id, appointment_id, version, patient_id, 'REMINDER'
        from decided
        where reason is null and due_at <= clock_timestamp()
        on conflict (tenant_group_id, appointment_id, appointment_version, kind) do nothing
      )
      update reminders r
      set state = case when d.reason is not null then 'CANCELLED' when d.due_at <= clock_timestamp() then 'SENT' else 'PLANNED' end,
          reason_code = d.reason, due_at = d.due_at, updated_at = clock_timestamp()
      from decided d
      where r.id = d.id
      returning r.state`;
    const count = (state: string) => rows.filter((row) => row.state === state).length;
    return { sent: count("SENT"), cancelled: count("CANCELLED"), moved: count("PLANNED") };
  });
}
