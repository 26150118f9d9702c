import { e2eWorld, lookAtRows } from "@/db/testing/e2e-world";
import type { OwnClinic } from "./a-clinic";
import { writeRows } from "./a-command";

export const replayedConsumer = "reminder-planner-v1";

/**
 * `count` visits of the clinic, booked over the API, whose reminders the planner could not plan any more: it stopped at each of them, and nothing of its
 * work is there. The mended handler of today does it.
 */
export async function stoppedReminders(clinic: OwnClinic, count: number): Promise<string[]> {
  const { origin, apiToken } = e2eWorld();
  const [treatmentId] = Object.values(clinic.treatments);
  const [doctorId] = Object.values(clinic.doctors);
  const visits: string[] = [];
  for (let n = 0; n < count; n++) {
    const key = `replay-${crypto.randomUUID()}`;
    const startsAt = `${clinic.tuesday}T${String(9 + Math.floor(n / 2)).padStart(2, "0")}:${n % 2 === 0 ? "00" : "30"}:00${await offsetOf(clinic)}`;
    const response = await fetch(`${origin}/api/v1/clinics/${clinic.id}/appointments`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiToken}`, "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ patient: { externalReference: key }, treatmentId, doctorId, startsAt }),
    });
    if (response.status !== 201) throw new Error(`a free time was refused with ${response.status}: ${await response.text()}`);
    visits.push(((await response.json()) as { id: string }).id);
  }
  await untilPlanned(visits);
  await writeRows(async ({ sql }) => {
    await sql`delete from reminders where appointment_id = any (${visits}::uuid[])`;
    await sql`delete from inbox_sequences where consumer = ${replayedConsumer} and aggregate_id = any (${visits}::uuid[])`;
    await sql`delete from inbox_deliveries where consumer = ${replayedConsumer} and inbox_id in (select id from inbox where aggregate_id = any (${visits}::uuid[]))`;
    await sql`
      update inbox
      set state = 'QUARANTINED', reason_code = 'HANDLER_FAILED', quarantined_at = clock_timestamp(), processed_at = null, effect = null, attempts = 5,
          attempts_max = 5, version = version + 1
      where consumer = ${replayedConsumer} and aggregate_id = any (${visits}::uuid[])`;
  });
  return visits;
}

async function offsetOf({ id, tuesday }: OwnClinic): Promise<string> {
  const { origin, apiToken } = e2eWorld();
  const answer = await fetch(`${origin}/api/v1/clinics/${id}`, { headers: { authorization: `Bearer ${apiToken}` } });
  const { clinic } = (await answer.json()) as { clinic: { zone: string } };
  const { Temporal } = await import("temporal-polyfill");
  return Temporal.PlainDateTime.from(`${tuesday}T12:00`).toZonedDateTime(clinic.zone).offset;
}

async function untilPlanned(visits: string[]): Promise<void> {
  for (let round = 0; round < 150; round++) {
    const [row] = await lookAtRows(
      ({ sql }) => sql<{ planned: number }[]>`
        select count(*)::int as planned from inbox
        where consumer = ${replayedConsumer} and state = 'PROCESSED' and aggregate_id = any (${visits}::uuid[])`,
    );
    if (row?.planned === visits.length) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("the planner did not see the visits");
}

/** How often each of these visits was planned, and how the planner's rows stand. */
export const plannedReminders = (visits: string[]) =>
  lookAtRows(
    ({ sql }) => sql<{ state: string; reminders: number; handled: number }[]>`
      select i.state, (select count(*)::int from reminders r where r.appointment_id = i.aggregate_id) as reminders,
        (select count(*)::int from inbox_deliveries d where d.inbox_id = i.id and d.outcome = 'PROCESSED') as handled
      from inbox i
      where i.consumer = ${replayedConsumer} and i.aggregate_id = any (${visits}::uuid[])`,
  );

/** Somebody holds the replay operator's right in this clinic, or loses it. */
export const replayRightOf = (email: string, clinicId: string, isHeld: boolean) =>
  writeRows(({ sql }) =>
    isHeld
      ? sql`
          insert into user_roles (tenant_group_id, user_id, role, clinic_id)
          select tenant_group_id, id, 'APPOINTMENT_REPLAY_OPERATOR', ${clinicId} from users where email = ${email} on conflict do nothing`
      : sql`
          delete from user_roles r using users u
          where u.id = r.user_id and u.email = ${email} and r.role = 'APPOINTMENT_REPLAY_OPERATOR' and r.clinic_id = ${clinicId}`,
  );

/** Above this many records a second person must approve. */
export const recordsLimitOf = (clinicId: string, records: number) =>
  writeRows(({ sql }) => sql`update clinics set replay_records_limit = ${records} where id = ${clinicId}`);
