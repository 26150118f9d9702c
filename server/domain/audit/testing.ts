import type { TestDatabase } from "@/db/testing/test-database";
import { parseDigestKeys } from "@/server/canonical-hash";
import type { PersonActor, Role } from "@/server/domain/scope/actor";
import { newUuid } from "@/server/ids";

/** Key ring of tests. */
export const testRing = parseDigestKeys(`k1:${Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64")}`);

/** A tenant group with clinics, and somebody who holds a role in all of them. */
export async function auditGroup(db: TestDatabase, name: string, clinics = 1, role: Role = "STAFF") {
  const tenantGroupId = newUuid();
  const clinicIds = Array.from({ length: clinics }, () => newUuid());
  const sql = db.migrator.$client;
  await sql`insert into tenant_groups (id, ref, name) values (${tenantGroupId}, ${`TG-${name}`}, ${name})`;
  for (const [n, id] of clinicIds.entries())
    await sql`
      insert into clinics (id, tenant_group_id, ref, name, zone)
      values (${id}, ${tenantGroupId}, ${`CL-${name}${n}`}, ${`Clinic ${n}`}, 'Europe/Berlin')`;
  const actor: PersonActor = {
    kind: "person",
    tenantGroupId,
    clinicIds,
    userId: newUuid(),
    ref: `ST-${name}`,
    roles: [{ role, clinicId: null }],
  };
  return { tenantGroupId, clinicIds, actor, scope: { tenantGroupId, clinicIds } };
}
