import { type Db, withRead } from "@/db/client";
import type { HeldRole, PersonActor } from "./actor";

/** Who a session says it is. Roles are never taken from it. */
export type SessionUser = { tenantGroupId: string; userId: string };
/** A person with the short references of `clinicIds`, in the same order: screens name a clinic by its reference. */
export type SignedInPerson = PersonActor & { clinicRefs: string[] };

/**
 * The person as the database knows it now: roles, and the clinics in which there is one. Read on every request, so a role that was taken away
 * ends with the next one. Undefined when the user is disabled or gone: then the session counts as signed out.
 */
export function loadActor(db: Db, session: SessionUser): Promise<SignedInPerson | undefined> {
  return withRead(db, { tenantGroupId: session.tenantGroupId }, async (tx) => {
    const [row] = await tx.sql<{ ref: string; roles: HeldRole[]; clinics: { id: string; ref: string }[] }[]>`
      select u.ref, held.roles, held.clinics
      from users u
      cross join lateral (
        select coalesce(jsonb_agg(jsonb_build_object('role', r.role, 'clinicId', r.clinic_id) order by r.role, r.clinic_id), '[]') as roles,
               coalesce((select jsonb_agg(jsonb_build_object('id', c.id, 'ref', c.ref) order by c.ref) from clinics c
                         where c.id = any (array_agg(r.clinic_id)) or bool_or(r.clinic_id is null)), '[]') as clinics
        from user_roles r
        where r.tenant_group_id = u.tenant_group_id and r.user_id = u.id
      ) held
      where u.id = ${session.userId} and u.disabled_at is null`;
    if (!row) return undefined;
    return {
      kind: "person",
      tenantGroupId: session.tenantGroupId,
      clinicIds: row.clinics.map((clinic) => clinic.id),
      clinicRefs: row.clinics.map((clinic) => clinic.ref),
      userId: session.userId,
      ref: row.ref,
      roles: row.roles,
    };
  });
}
