import type { Tx } from "@/db/client";
import type { NotificationRow } from "./planning-types";
import type { OperationsScope } from "./types";

/** Messages that wait for longer than this are late, and somebody looks why. */
export const reviewAfterSeconds = 120;

type Found = {
  clinic_id: string;
  clinic_ref: string;
  zone: string;
  waiting: number;
  oldest: number | null;
  given_up: number;
  since: string;
};

/**
 * Clinics whose messages are late or were given up in the last 24 hours, from the dispatcher's own rows: nothing is stored about it, so a row ends by
 * itself when what waited was sent. One statement over what is not settled and what settled badly.
 */
export async function degradedClinics(tx: Tx, scope: OperationsScope): Promise<NotificationRow[]> {
  const rows = await tx.sql<Found[]>`
    select c.id as clinic_id, c.ref as clinic_ref, c.zone, waits.count as waiting, waits.oldest, gone.count as given_up,
      least(waits.late_since, gone.since) as since
    from clinics c
    cross join lateral (
      select count(*)::int as count, extract(epoch from clock_timestamp() - min(created_at))::float8 as oldest,
        case when min(created_at) < clock_timestamp() - make_interval(secs => ${reviewAfterSeconds})
          then min(created_at) + make_interval(secs => ${reviewAfterSeconds}) end as late_since
      from notification_intents
      where tenant_group_id = c.tenant_group_id and clinic_id = c.id and state in ('PENDING', 'SENDING', 'RETRY_WAIT')) waits
    cross join lateral (
      select count(*)::int as count, min(settled_at) as since
      from notification_intents
      where tenant_group_id = c.tenant_group_id and clinic_id = c.id and state in ('EXHAUSTED', 'UNKNOWN')
        and settled_at > clock_timestamp() - interval '24 hours') gone
    where c.tenant_group_id = ${scope.tenantGroupId} and c.id = any (${[...scope.clinicIds]}::uuid[])
      and (waits.late_since is not null or gone.count > 0)
    order by since desc, c.id desc`;
  return rows.map((row) => ({
    kind: "notification",
    id: `notification.${row.clinic_id}`,
    group: "DECISION",
    state: "DEGRADED_REVIEW",
    clinicId: row.clinic_id,
    clinicRef: row.clinic_ref,
    zone: row.zone,
    at: row.since,
    backlog: { waiting: row.waiting, oldestSeconds: row.oldest, givenUp: row.given_up },
  }));
}
