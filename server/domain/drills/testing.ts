// For tests: what a runner of drills needs, and a person of STAFF who asks for them.
import { openDb } from "@/db/client";
import type { TestDatabase } from "@/db/testing/test-database";
import { systemClock } from "@/server/clock";
import { testRing } from "@/server/domain/inbox/testing";
import type { Role } from "@/server/domain/scope/actor";
import { loadActor, type SignedInPerson } from "@/server/domain/scope/load-actor";
import { newRef, newUuid } from "@/server/ids";
import type { DrillDeps } from "./drill-world";
import type { DrillCall } from "./start-drill";
import { scopedUrl } from "./synthetic-scope";

export const drillDeps = (db: TestDatabase, more: Partial<DrillDeps> = {}): DrillDeps => ({
  live: db.worker,
  openScopeDb: (scope) => openDb(scopedUrl(db.urls.worker, scope), { max: 3, applicationName: "drill" }),
  ring: testRing,
  clock: systemClock,
  worker: "drill-runner-a",
  signal: new AbortController().signal,
  ...more,
});

export const commandDeps = (db: TestDatabase) => ({ db: db.web, digestKeys: testRing, retentionHours: 24, waitMs: 2_000 });

/** A person with these roles in the clinic, as the session would load him. */
export async function drillPerson(
  db: TestDatabase,
  scope: { tenantGroupId: string; clinicId: string },
  roles: Role[] = ["STAFF"],
): Promise<SignedInPerson> {
  const { tenantGroupId, clinicId } = scope;
  const userId = newUuid();
  const sql = db.superuser.$client;
  await sql`
    insert into users (id, tenant_group_id, ref, email, name, password_hash)
    values (${userId}, ${tenantGroupId}, ${newRef("ST")}, ${`${userId}@clinic.invalid`}, 'Person', 'x')`;
  for (const role of roles)
    await sql`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${userId}, ${role}, ${clinicId})`;
  return (await loadActor(db.web, { tenantGroupId, userId })) as SignedInPerson;
}

export const callBy = (actor: SignedInPerson, key = `key-${newUuid()}`): DrillCall => ({
  actor,
  clinicId: actor.clinicIds[0] as string,
  key,
  requestId: newUuid(),
  method: "MUTATION",
  body: {},
});
