import type { Tx } from "@/db/client";
import { degradedClinics, reviewAfterSeconds } from "./planning-degraded";
import { questionsOfNotification } from "./planning-questions";
import type { NotificationEvidence, Signal } from "./planning-types";
import type { OperationsScope } from "./types";
import { type RoleHealth, roleHealth } from "./worker-health";

/** Evidence of a clinic whose messages are late or were given up, read apart from what became of its appointments; null: it is in no review (any more). */
export async function notificationEvidence(tx: Tx, scope: OperationsScope, clinicId: string): Promise<NotificationEvidence | null> {
  const row = (await degradedClinics(tx, { ...scope, clinicIds: scope.clinicIds.filter((id) => id === clinicId) }))[0];
  if (!row) return null;
  const [read] = await tx.sql<Read[]>`
    select g.ref as tenant_ref, c.name as clinic_name, clock_timestamp() as as_of,
      (select n.reason_code from notification_intents n
        where n.tenant_group_id = c.tenant_group_id and n.clinic_id = c.id and n.state in ('EXHAUSTED', 'UNKNOWN')
          and n.settled_at > clock_timestamp() - interval '24 hours'
        order by n.settled_at desc limit 1) as last_reason,
      (select count(*)::int from appointment_history h
        where h.tenant_group_id = c.tenant_group_id and h.clinic_id = c.id and h.at >= ${row.at}::timestamptz) as changes,
      (select count(*)::int from notification_intents n
        where n.tenant_group_id = c.tenant_group_id and n.clinic_id = c.id and n.state = 'SENT' and n.settled_at >= ${row.at}::timestamptz
          and n.settled_at > n.created_at + make_interval(secs => ${reviewAfterSeconds})) as sent_late,
      (select count(*)::int from (
        select d.intent_id from notification_deliveries d
        where d.tenant_group_id = c.tenant_group_id and d.clinic_id = c.id and d.outcome = 'SENT' and d.at >= ${row.at}::timestamptz
        group by d.intent_id having count(*) > 1) twice) as sent_twice,
      (select count(*)::int from notification_intents n
        where n.tenant_group_id = c.tenant_group_id and n.clinic_id = c.id and n.state = 'RETRY_WAIT' and n.reason_code = 'CIRCUIT_OPEN') as circuit_open,
      (select max(d.at) from notification_deliveries d
        where d.tenant_group_id = c.tenant_group_id and d.clinic_id = c.id and d.outcome = 'SENT'
          and d.at > clock_timestamp() - make_interval(secs => ${circuitReadingSeconds})) as answered_at
    from clinics c
    join tenant_groups g on g.id = c.tenant_group_id
    where c.id = ${clinicId}`;
  if (!read) return null;
  const signals = signalsOf(row.backlog, read, await roleHealth(tx));
  return {
    kind: "notification",
    row,
    scope: { tenantGroupRef: read.tenant_ref, clinicRef: row.clinicRef, clinicName: read.clinic_name, zone: row.zone },
    signals,
    appointments: { changes: read.changes, sentLate: read.sent_late, sentTwice: read.sent_twice },
    questions: questionsOfNotification(signals),
    asOf: read.as_of,
  };
}

type Read = {
  tenant_ref: string;
  clinic_name: string;
  as_of: string;
  last_reason: string | null;
  changes: number;
  sent_late: number;
  sent_twice: number;
  circuit_open: number;
  answered_at: string | null;
};

/** A circuit lives in its worker's memory. What it gave back and what a provider answered are its traces; older than this they say nothing. */
const circuitReadingSeconds = 600;

function circuitOf({ circuit_open: openFor, answered_at: answeredAt }: Read): Signal {
  const state = openFor > 0 ? "POOR" : answeredAt ? "GOOD" : "UNREAD";
  return { signal: "CIRCUIT", state, openFor, answeredAt };
}

/** RETENTION has no reading in this release: it is shown as not read, never as good. */
function signalsOf(backlog: NotificationEvidence["row"]["backlog"], read: Read, roles: RoleHealth[]): Signal[] {
  const isLate = backlog.oldestSeconds !== null && backlog.oldestSeconds > reviewAfterSeconds;
  const beatOf = (signal: "DISPATCH" | "REMINDERS", role: RoleHealth["role"]): Signal => {
    const health = roles.find((one) => one.role === role);
    const state = !health || health.state === "NEVER" ? "UNREAD" : health.state === "RUNNING" ? "GOOD" : "POOR";
    return { signal, state, beatAt: health?.lastBeatAt ?? null, silentSeconds: health?.silentSeconds ?? null };
  };
  return [
    circuitOf(read),
    {
      signal: "BACKLOG",
      state: isLate ? "POOR" : "GOOD",
      waiting: backlog.waiting,
      oldestSeconds: backlog.oldestSeconds,
      reviewAfterSeconds,
    },
    { signal: "GIVEN_UP", state: backlog.givenUp > 0 ? "POOR" : "GOOD", count: backlog.givenUp, lastReason: read.last_reason },
    beatOf("DISPATCH", "notification-dispatch"),
    beatOf("REMINDERS", "notification-reminders"),
    { signal: "RETENTION", state: "UNREAD" },
  ];
}
