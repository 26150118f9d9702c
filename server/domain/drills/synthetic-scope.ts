import { type Db, type Tx, withTx } from "@/db/client";
import type { PersonActor } from "@/server/domain/scope/actor";
import { newRef, newUuid } from "@/server/ids";

/** A tenant group that exists for one run of a drill. Its id lies in the range that live workers do not see. */
export type SyntheticScope = {
  tenantGroupId: string;
  ref: string;
  clinicId: string;
  operator: { id: string; ref: string };
};

/** An id in the synthetic range: `ffffffff`, then random; version 8 of RFC 9562, whose bits are the maker's own. */
function syntheticId(): string {
  const random = newUuid();
  return `ffffffff-${random.slice(24, 28)}-8${random.slice(15, 18)}-${random.slice(19)}`;
}

export const newSyntheticScope = (): SyntheticScope => ({
  tenantGroupId: syntheticId(),
  ref: newRef("SY"),
  clinicId: newUuid(),
  operator: { id: newUuid(), ref: newRef("ST") },
});

/** Tenant group, clinic and an operator who cannot sign in. */
export async function makeSyntheticScope(
  db: Db,
  worker: string,
  { tenantGroupId, ref, clinicId, operator }: SyntheticScope,
): Promise<void> {
  await withTx(
    db,
    { worker },
    (tx) => tx.sql`
      select make_synthetic_scope(${tenantGroupId}::uuid, ${clinicId}::uuid, ${operator.id}::uuid, ${ref}, ${newRef("CL")}, ${operator.ref})`,
  );
}

/** Everything that a run has left; its record stays. */
export const removeSyntheticScope = (tx: Tx, scopeId: string) => tx.sql`select remove_synthetic_scope(${scopeId}::uuid)`;

/**
 * The operator of the scope, acting on the connection of a worker: row-level security lets him see what a worker sees there, and the connection of a
 * drill sees this scope only.
 */
export const operatorOf = ({ tenantGroupId, clinicId, operator }: SyntheticScope, worker: string): PersonActor & { worker: string } => ({
  kind: "person",
  tenantGroupId,
  clinicIds: [clinicId],
  userId: operator.id,
  ref: operator.ref,
  roles: [
    { role: "STAFF", clinicId: null },
    { role: "APPOINTMENT_REPLAY_OPERATOR", clinicId: null },
  ],
  worker,
});

/** The address of the same database for a connection that sees this scope and nothing else. */
export function scopedUrl(url: string, { tenantGroupId }: SyntheticScope): string {
  const scoped = new URL(url);
  scoped.searchParams.set("app.drill", tenantGroupId);
  return scoped.toString();
}
