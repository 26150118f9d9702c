import { type Db, type TxActor, withRead } from "@/db/client";
import { countedByState } from "@/server/domain/appointments/daily-load-counts";
import { localAt } from "@/server/domain/clinics/local-time";
import { invariants } from "./invariants";

export type InvariantFault = { invariant: string; offenders: number; examples: { id: string; detail: string }[] };

/**
 * Asks the records whether everything holds that must (see invariants.ts), in one snapshot. Reads whole tables: for tests, drills and the demo.
 * @param actor whose rows are looked at; all tenants for a worker that names none
 * @returns the invariants that do not hold, with a few offenders each; empty when all is well
 */
export function checkInvariants(db: Db, actor: TxActor = { worker: "invariant-checker" }): Promise<InvariantFault[]> {
  const options = { isolation: "repeatable read", deadlineMs: 120_000 } as const;
  return withRead(
    db,
    actor,
    async (tx) => {
      const faults: InvariantFault[] = [];
      for (const { name, sql } of invariants) {
        const rows = await tx.sql.unsafe<{ id: string; detail: string; total: string }[]>(
          `select id, detail, count(*) over () as total from (${sql}) offender limit 3`,
        );
        if (rows[0])
          faults.push({ invariant: name, offenders: Number(rows[0].total), examples: rows.map(({ id, detail }) => ({ id, detail })) });
      }
      const days = await tx.sql<{ id: string; detail: string }[]>`
        with counted as (
          select c.clinic_id, c.local_date, ${countedByState(tx)}
          from (select clinic_id, local_date, status, 1 as sign from daily_load_visits) c
          group by c.clinic_id, c.local_date
        )
        select coalesce(d.clinic_id, n.clinic_id) as id, coalesce(d.local_date, n.local_date)::text as detail
        from daily_load d
        full join counted n on n.clinic_id = d.clinic_id and n.local_date = d.local_date
        where (coalesce(d.booked, 0), coalesce(d.arrived, 0), coalesce(d.done, 0), coalesce(d.no_show, 0))
              <> (coalesce(n.booked, 0), coalesce(n.arrived, 0), coalesce(n.done, 0), coalesce(n.no_show, 0))`;
      if (days.length > 0)
        faults.push({ invariant: "a day's load is the sum of its visits", offenders: days.length, examples: days.slice(0, 3) });
      const visits = await tx.sql<Visit[]>`
        select a.id, c.zone, a.local_date::text as local_date, to_char(a.local_start, 'YYYY-MM-DD"T"HH24:MI:SS') as local_start,
               a.utc_offset_seconds, extract(epoch from a.starts_at)::float8 * 1000 as starts_at_ms
        from appointments a
        join clinics c on c.id = a.clinic_id`;
      const wrong = visits.filter(showsAnotherTime);
      if (wrong.length > 0)
        faults.push({
          invariant: "a visit's clinic time is what the clinic's clock shows at its start",
          offenders: wrong.length,
          examples: wrong.slice(0, 3).map(({ id, zone, local_start }) => ({ id, detail: `${local_start} ${zone}` })),
        });
      return faults;
    },
    options,
  );
}

type Visit = { id: string; zone: string; local_date: string; local_start: string; utc_offset_seconds: number; starts_at_ms: number };

/** In code, because SQL never converts zones. */
function showsAnotherTime(visit: Visit): boolean {
  const clock = localAt(visit.zone, Number(visit.starts_at_ms));
  const shown = clock.local.length === 16 ? `${clock.local}:00` : clock.local;
  return shown !== visit.local_start || clock.date !== visit.local_date || clock.utcOffsetSeconds !== visit.utc_offset_seconds;
}
