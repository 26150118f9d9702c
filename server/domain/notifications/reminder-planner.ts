import type { Tx } from "@/db/client";
import type { AppointmentChangeV1 } from "@/server/domain/event-log/contracts/appointment-v1";
import type { PublishedEvent } from "@/server/domain/event-log/envelope";
import { done, noEffect, type Outcome, quarantine } from "@/server/domain/inbox/types";
import { planReminder, type ReminderPlan, type ReminderReason, reminderLeadHours } from "./plan-reminder";

type VisitRow = {
  id: string;
  clinic_id: string;
  version: string;
  status: string;
  command_id: string;
  due_at: string;
  is_too_late: boolean;
  reminder_state: string | null;
  reminder_due_at: string | null;
};

/** The handler of reminder-planner-v1: plans, moves and cancels the reminder rows of a batch of one tenant group by one query and at most one statement. */
export async function planReminders(tx: Tx, events: readonly PublishedEvent<AppointmentChangeV1>[]): Promise<Outcome<ReminderReason>[]> {
  const visits = await loadVisits(tx, events);
  const plans = events.map(({ payload }) => {
    const row = visits.get(payload.appointmentId);
    const visit = row && { version: BigInt(row.version), status: row.status, dueAt: row.due_at, isTooLate: row.is_too_late };
    const reminder = row?.reminder_state ? { state: row.reminder_state, dueAt: row.reminder_due_at ?? "" } : undefined;
    return planReminder(BigInt(payload.version), visit, reminder);
  });
  await writePlans(tx, events, plans, visits);
  return plans.map(toOutcome);
}

function toOutcome(plan: ReminderPlan): Outcome<ReminderReason> {
  if (plan.next === "QUARANTINE") return quarantine(plan.reason);
  return plan.next === "NOTHING" ? noEffect(plan.reason) : done;
}

async function loadVisits(tx: Tx, events: readonly PublishedEvent<AppointmentChangeV1>[]): Promise<Map<string, VisitRow>> {
  const ids = [...new Set(events.map((event) => event.payload.appointmentId))];
  const rows = await tx.sql<VisitRow[]>`
    select a.id, a.clinic_id, a.version, a.status, a.command_id,
           a.starts_at - make_interval(hours => ${reminderLeadHours}::int) as due_at,
           a.starts_at - make_interval(hours => ${reminderLeadHours}::int) <= clock_timestamp() as is_too_late,
           r.state as reminder_state, r.due_at as reminder_due_at
    from appointments a
    left join reminders r on r.tenant_group_id = a.tenant_group_id and r.appointment_id = a.id
    where a.tenant_group_id = ${events[0]?.tenantGroupId ?? null} and a.id = any(${ids}::uuid[])`;
  return new Map(rows.map((row) => [row.id, row]));
}

async function writePlans(
  tx: Tx,
  events: readonly PublishedEvent<AppointmentChangeV1>[],
  plans: ReminderPlan[],
  visits: Map<string, VisitRow>,
): Promise<void> {
  const writes = plans.flatMap((plan, at) => {
    const visit = visits.get(events[at]?.payload.appointmentId ?? "");
    if (!visit || (plan.next !== "PLAN" && plan.next !== "CANCEL")) return [];
    const cancelled = plan.next === "CANCEL" ? plan.reason : null;
    return [{ ...visit, state: cancelled ? "CANCELLED" : "PLANNED", reason: cancelled }];
  });
  const rows = [...new Map(writes.map((write) => [write.id, write])).values()]; // one event may lie twice in a batch
  if (rows.length === 0) return;
  // a reminder that went out meanwhile stays SENT when it would only be cancelled; in id order, so that two batches do not deadlock
  await tx.sql`
    insert into reminders as r (tenant_group_id, clinic_id, appointment_id, appointment_version, command_id, due_at, state, reason_code)
    select ${events[0]?.tenantGroupId ?? null}::uuid, clinic_id, appointment_id, version, command_id, due_at, state, reason
    from unnest(
      ${rows.map((row) => row.clinic_id)}::uuid[], ${rows.map((row) => row.id)}::uuid[], ${rows.map((row) => row.version)}::bigint[],
      ${rows.map((row) => row.command_id)}::uuid[], ${rows.map((row) => row.due_at)}::timestamptz[], ${rows.map((row) => row.state)}::text[],
      ${rows.map((row) => row.reason)}::text[]
    ) as p (clinic_id, appointment_id, version, command_id, due_at, state, reason)
    order by appointment_id
    on conflict (tenant_group_id, appointment_id) do update
    set appointment_version = excluded.appointment_version, command_id = excluded.command_id, due_at = excluded.due_at, state = excluded.state,
        reason_code = excluded.reason_code, updated_at = clock_timestamp()
    where r.appointment_version < excluded.appointment_version and not (r.state = 'SENT' and excluded.state = 'CANCELLED')`;
}
