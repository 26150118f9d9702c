// The rows of the facts that the desk writes: how each kind is read and shown. The tables are constants; no request value names one.
import type { Tx } from "@/db/client";
import type { FactKind, FactView } from "./fact-types";
import type { Scope } from "./types";

export const factTables = {
  absence: "absences",
  closure: "closures",
  outage: "resource_outages",
  break: "breaks",
} as const satisfies Record<FactKind, string>;

/** A row with the times of its period, as the database has them. */
export type StoredFact = {
  id: string;
  version: string;
  doctor_id?: string | null;
  resource_id?: string;
  units?: number;
  weekday?: number | null;
  starts?: string;
  ends?: string;
  local_from?: string;
  local_until?: string;
  from_ms: number | null;
  until_ms: number | null;
  reason?: string;
  label?: string;
  equipment_id: string | null;
};

/** One fact of a clinic; undefined for an id of another clinic or kind as for one of nobody. `lock`: kept until the transaction ends. */
export async function readFact(
  tx: Tx,
  scope: Scope,
  { clinicId, kind, factId }: { clinicId: string; kind: FactKind; factId: string },
  lock: "LOCK" | "READ" = "READ",
): Promise<StoredFact | undefined> {
  const isPeriod = kind !== "break";
  const [row] = await tx.sql<StoredFact[]>`
    select f.*, f.version::text as version,
           ${isPeriod ? tx.sql`floor(extract(epoch from lower(f.during)) * 1000)::float8` : tx.sql`null`} as from_ms,
           ${isPeriod ? tx.sql`ceil(extract(epoch from upper(f.during)) * 1000)::float8` : tx.sql`null`} as until_ms,
           ${kind === "outage" ? tx.sql`(select e.id from equipment e where e.clinic_id = f.clinic_id and e.resource_id = f.resource_id)` : tx.sql`null`} as equipment_id
    from ${tx.sql(factTables[kind])} f
    where f.id = ${factId}::uuid
      and f.clinic_id = ${clinicId}::uuid
      and f.tenant_group_id = ${scope.tenantGroupId ?? null}::uuid
      and f.clinic_id = any (${[...(scope.clinicIds ?? [])]}::uuid[])
    ${lock === "LOCK" ? tx.sql`for no key update of f` : tx.sql``}`;
  return row;
}

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().replace(".000Z", "Z"));

export function toFactView(clinicId: string, row: StoredFact, state: FactView["state"] = "IN_FORCE"): FactView {
  return {
    id: row.id,
    clinicId,
    version: row.version,
    state,
    doctorId: row.doctor_id ?? null,
    equipmentId: row.equipment_id,
    units: row.units ?? null,
    weekday: row.weekday ?? null,
    from: (row.local_from?.replace(" ", "T") ?? row.starts ?? "").slice(0, row.local_from ? 16 : 5),
    until: (row.local_until?.replace(" ", "T") ?? row.ends ?? "").slice(0, row.local_until ? 16 : 5),
    fromInstant: iso(row.from_ms),
    untilInstant: iso(row.until_ms),
  };
}

export const factPath = (clinicId: string, kind: FactKind, factId: string): string =>
  `/api/v1/clinics/${clinicId}/${pathNames[kind]}/${factId}`;
export const pathNames = { absence: "absences", closure: "closures", outage: "outages", break: "breaks" } as const satisfies Record<
  FactKind,
  string
>;
