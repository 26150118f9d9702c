import type { Tx } from "@/db/client";
import { addDays, dayBounds, minuteMs } from "../../clinics/local-time";
import type { Scope } from "../../clinics/types";
import { groupsOfTable } from "./fact-groups";
import type { FactGroup, PlanningRange } from "./types";

/** A fact that is another one than when a snapshot was read: what it was, what it is, and who changed it last. */
export type FactChange = {
  id: string;
  table: string;
  factId: string;
  groups: FactGroup[];
  change: "ADDED" | "CHANGED" | "REMOVED";
  /** Columns that decide, by their names in the table; null: it was not there, or is not there any more. */
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  /** ISO instants that hold what was and what is; null: it holds every week or always. */
  from: string | null;
  until: string | null;
  /** Reference of the doctor, device, room or treatment that it concerns, else of the clinic. */
  subjectRef: string;
  actorKind: string;
  actorRef: string;
  commandId: string | null;
  at: string;
  factVersion: string;
};

type Row = Omit<FactChange, "groups" | "change" | "from" | "until"> & {
  oldDigest: string | null;
  newDigest: string | null;
  fromMs: number | null;
  untilMs: number | null;
  zone: string;
  longest: number;
};

/** The newest are read: when there are more, it is the oldest that nobody sees, and a fact may seem to have been what it was in between. */
const readMax = 2_000;

/**
 * What changed between a snapshot (the counter of its planning scope, `facts.clinic.factVersion`) and now, as far as a plan of the range can notice it,
 * newest first. Each fact once, from what it was to what it is: what was changed and changed back is no change, and one that was entered and withdrawn
 * neither. One statement. `groups`: only changes of these, such as the groups whose digests differ.
 */
export async function factChangesSince(
  tx: Tx,
  scope: Scope,
  range: PlanningRange,
  { factVersion, groups }: { factVersion: string; groups?: readonly FactGroup[] },
): Promise<FactChange[]> {
  const rows = await tx.sql<Row[]>`
    select f.id, f.fact_table as table, f.fact_id as "factId", f.before, f.after, f.old_digest as "oldDigest", f.new_digest as "newDigest",
      floor(extract(epoch from lower(f.during)) * 1000)::float8 as "fromMs", ceil(extract(epoch from upper(f.during)) * 1000)::float8 as "untilMs",
      f.actor_kind as "actorKind", f.actor_ref as "actorRef", f.command_id as "commandId", f.fact_version::text as "factVersion",
      to_char(f.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, c.zone,
      coalesce((select max(t.duration_minutes) from treatments t where t.clinic_id = c.id), 0) as longest,
      coalesce(d.ref, e.ref, t.ref, c.ref) as "subjectRef"
    from fact_changes f
    join clinics c on c.id = f.clinic_id
    cross join lateral (select coalesce(f.after, f.before) as row) is_now
    left join doctors d on d.clinic_id = f.clinic_id
      and (d.id::text = coalesce(is_now.row ->> 'doctor_id', case when f.fact_table = 'doctors' then f.fact_id end)
        or (f.fact_table = 'resources' and d.resource_id::text = f.fact_id))
    left join equipment e on e.clinic_id = f.clinic_id
      and (e.id::text = coalesce(is_now.row ->> 'equipment_id', case when f.fact_table = 'equipment' then f.fact_id end)
        or e.resource_id::text = coalesce(case when f.fact_table = 'resource_outages' then is_now.row ->> 'resource_id' end,
                                          case when f.fact_table = 'resources' then f.fact_id end))
    left join treatments t on t.clinic_id = f.clinic_id
      and t.id::text = coalesce(is_now.row ->> 'treatment_id', case when f.fact_table = 'treatments' then f.fact_id end)
    where f.clinic_id = ${range.clinicId}::uuid
      and f.tenant_group_id = ${scope.tenantGroupId ?? null}::uuid
      and (${scope.clinicIds ? [...scope.clinicIds] : null}::uuid[] is null or f.clinic_id = any (${scope.clinicIds ? [...scope.clinicIds] : null}::uuid[]))
      and f.fact_version > ${factVersion}::bigint
    order by f.fact_version desc, f.id desc
    limit ${readMax}`;
  rows.reverse();
  const net = withoutPairs([...netOf(rows).values()].filter((row) => touches(row, range)));
  return net
    .map(toChange)
    .filter((change) => !groups || change.groups.some((group) => groups.includes(group)))
    .reverse();
}

/** Each fact once: what it was before the first change and is after the last. Those that are as they were are left out. */
function netOf(rows: readonly Row[]): Map<string, Row> {
  const facts = new Map<string, Row>();
  for (const row of rows) {
    const key = `${row.table} ${row.factId}`;
    const first = facts.get(key);
    facts.delete(key); // the last change of a fact says where it stands in time
    facts.set(
      key,
      first
        ? {
            ...row,
            before: first.before,
            oldDigest: first.oldDigest,
            fromMs: least(first.fromMs, row.fromMs),
            untilMs: most(first.untilMs, row.untilMs),
          }
        : row,
    );
  }
  for (const [key, row] of facts) if (row.oldDigest === row.newDigest) facts.delete(key);
  return facts;
}

/** A row that went and an equal one that came are no change: the same fact under another id. */
function withoutPairs(rows: readonly Row[]): Row[] {
  const left = [...rows];
  for (const gone of rows.filter(({ after }) => after === null)) {
    const come = left.findIndex(({ table, before, newDigest }) => before === null && table === gone.table && newDigest === gone.oldDigest);
    if (come < 0 || !isIdentityFree.has(gone.table)) continue;
    left.splice(come, 1);
    left.splice(left.indexOf(gone), 1);
  }
  return left;
}

const isIdentityFree = new Set(["clinic_hours", "doctor_hours", "breaks", "closures", "absences", "resource_outages", "holidays"]);

function touches({ fromMs, untilMs, zone, longest, table, before, after }: Row, { fromDate, untilDate }: PlanningRange): boolean {
  const reach = { from: dayBounds(zone, fromDate).from, until: dayBounds(zone, addDays(untilDate, 1)).from + longest * minuteMs };
  if (table === "holidays")
    return [before, after].some((row) => row !== null && within(String(row.on_date), fromDate, addDays(untilDate, 1)));
  return fromMs === null || untilMs === null || (fromMs < reach.until && reach.from < untilMs);
}

const within = (date: string, from: string, until: string): boolean => date >= from && date <= until;
const least = (a: number | null, b: number | null) => (a === null || b === null ? null : Math.min(a, b));
const most = (a: number | null, b: number | null) => (a === null || b === null ? null : Math.max(a, b));

function toChange({ oldDigest, newDigest, fromMs, untilMs, zone, longest, ...row }: Row): FactChange {
  const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().replace(".000Z", "Z"));
  return {
    ...row,
    groups: groupsOfTable(row.table),
    change: row.before === null ? "ADDED" : row.after === null ? "REMOVED" : "CHANGED",
    from: iso(fromMs),
    until: iso(untilMs),
  };
}
