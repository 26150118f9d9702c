import type { PendingQuery, Row } from "postgres";
import type { Tx } from "@/db/client";
import type { DigestRing } from "@/server/canonical-hash";
import { digestedColumns, entryDigest } from "@/server/domain/audit/entry-digest";
import { dayBounds } from "@/server/domain/clinics/local-time";
import { type AuditMatch, matchSql, resolveAuditSearch } from "./audit-search";
import { type AuditCursor, type AuditFilter, type AuditPage, type AuditRow, type AuditScope, auditCountMax } from "./audit-types";

/**
 * One page of the audit, newest first, ties broken by id. Each clinic of the reader gives its newest entries by index and the page is taken from
 * those, so that a quiet clinic beside a busy one costs no more. Three statements at most.
 */
export async function listAudit(
  tx: Tx,
  scope: AuditScope,
  filter: AuditFilter,
  after: AuditCursor | null,
  limit: number,
  ring: DigestRing,
): Promise<AuditPage> {
  const match = filter.search ? await resolveAuditSearch(tx, scope, filter.search) : null;
  const keys = await tx.sql<{ id: string; at: string }[]>`
    select id, at from (${keysSql(tx, scope, filter, match, after, limit + 1)}) page order by at desc, id desc limit ${limit + 1}`;
  const page = keys.slice(0, limit);
  const last = keys.length > limit ? page.at(-1) : undefined;
  const rows = await auditRows(
    tx,
    page.map((key) => key.id),
    ring,
  );
  const [clock] = await tx.sql<{ as_of: string }[]>`select clock_timestamp() as as_of`;
  return { rows, next: last ? { at: last.at, id: last.id } : null, asOf: clock?.as_of ?? "" };
}

/** How many entries a filter finds; counting ends at 10,000 and says so. */
export async function countAudit(tx: Tx, scope: AuditScope, filter: AuditFilter): Promise<{ count: number; isMore: boolean }> {
  const match = filter.search ? await resolveAuditSearch(tx, scope, filter.search) : null;
  const [row] = await tx.sql<{ count: number }[]>`
    select count(*)::int as count from (select from (${keysSql(tx, scope, filter, match, null, auditCountMax + 1)}) found limit ${auditCountMax + 1}) bounded`;
  const count = row?.count ?? 0;
  return { count: Math.min(count, auditCountMax), isMore: count > auditCountMax };
}

/** Acts that the reader's tenant group knows, for the menu of the filter: a walk over an index, one step for each. */
export async function auditActs(tx: Tx, scope: AuditScope): Promise<string[]> {
  const rows = await tx.sql<{ act: string }[]>`
    with recursive found as (
      (select act from audit_entries where tenant_group_id = ${scope.tenantGroupId} order by act limit 1)
      union all
      select (select e.act from audit_entries e where e.tenant_group_id = ${scope.tenantGroupId} and e.act > found.act order by e.act limit 1)
      from found where found.act is not null
    )
    select act from found where act is not null limit 200`;
  return rows.map((row) => row.act);
}

function keysSql(tx: Tx, scope: AuditScope, filter: AuditFilter, match: AuditMatch | null, after: AuditCursor | null, limit: number) {
  const sql = tx.sql;
  const is = (when: unknown, condition: () => PendingQuery<Row[]>) => (when ? condition() : sql``);
  const wanted = sql`
    e.tenant_group_id = ${scope.tenantGroupId}
    ${is(filter.acts.length, () => sql`and e.act = any (${filter.acts}::text[])`)}
    ${is(filter.results.length, () => sql`and e.result = any (${filter.results}::text[])`)}
    ${is(filter.role, () => sql`and e.actor_role = ${filter.role as string}`)}
    ${is(filter.actorKinds.length, () => sql`and e.actor_kind = any (${filter.actorKinds}::text[])`)}
    ${is(filter.from, () => sql`and e.at >= ${dayStart(scope.zone, filter.from as string)}::timestamptz`)}
    ${is(filter.until, () => sql`and e.at < ${dayEnd(scope.zone, filter.until as string)}::timestamptz`)}
    ${is(filter.of, () => sql`and (e.command_id = ${filter.of as string} or e.subject_id = ${filter.of as string})`)}
    ${is(match, () => matchSql(tx, match as AuditMatch))}
    ${is(after, () => sql`and (e.at, e.id) < (${after?.at as string}::timestamptz, ${after?.id as string}::uuid)`)}`;
  const ofGroup = scope.withGroup
    ? sql`
        union all
        (select e.id, e.at from audit_entries e where ${wanted} and e.clinic_id is null order by e.at desc, e.id desc limit ${limit})`
    : sql``;
  return sql`
    (select newest.id, newest.at
     from unnest(${[...scope.clinicIds]}::uuid[]) as clinic (id)
     cross join lateral (
       select e.id, e.at from audit_entries e where ${wanted} and e.clinic_id = clinic.id order by e.at desc, e.id desc limit ${limit}) newest)
    ${ofGroup}`;
}

const dayStart = (zone: string, date: string) => new Date(dayBounds(zone, date).from).toISOString();
const dayEnd = (zone: string, date: string) => new Date(dayBounds(zone, date).until).toISOString();

type Stored = Omit<AuditRow, "digest"> & { parts: (string | null)[]; keyId: string | null };

/** Entries by id, in the order of the ids, as the page and the export show them. One statement. */
export async function auditRows(tx: Tx, ids: readonly string[], ring: DigestRing): Promise<AuditRow[]> {
  const rows = await tx.sql<Stored[]>`
    select ${digestedColumns(tx)}, e.sealed_seq as seq, e.at, e.actor_kind as "actorKind", e.actor_ref as "actorRef", e.actor_role as "actorRole",
      e.act, e.result, e.reason_code as "reasonCode", e.reason, g.ref as "tenantGroupRef", c.ref as "clinicRef", c.name as "clinicName", c.zone,
      e.subject_type as "subjectType", e.subject_id as "subjectId", coalesce(a.ref, e.details ->> 'ref', e.details ->> 'job', e.details ->> 'manifest', e.details ->> 'run') as "subjectRef",
      e.command_id as "commandId", e.details, s.key_id as "keyId"
    from unnest(${[...ids]}::uuid[]) with ordinality as page (id, position)
    join audit_entries e on e.id = page.id
    join tenant_groups g on g.id = e.tenant_group_id
    left join audit_seals s on s.tenant_group_id = e.tenant_group_id and s.seq = e.sealed_seq
    left join clinics c on c.id = e.clinic_id
    left join appointments a on a.id = e.subject_id and e.subject_type = 'appointment'
    order by page.position`;
  return rows.map(({ parts, keyId, ...row }) => ({ ...row, digest: digestOf(ring, row.id, parts, keyId) }));
}

/** By the key of its seal, so that both can be compared; "" when that key is gone. */
function digestOf(ring: DigestRing, id: string, parts: (string | null)[], keyId: string | null): string {
  if (keyId && !ring.keys.has(keyId)) return "";
  return entryDigest(ring, { id, parts }, keyId ?? undefined);
}
