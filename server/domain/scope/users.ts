// People who sign in, as `npm run ops -- user` makes them. Runs as the migrator, who alone may look across tenant groups.
import { type Db, withRead, withTx } from "@/db/client";
import { sqlstate } from "@/db/tx-error";
import { AppError } from "@/server/app-error";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { newRef } from "@/server/ids";
import type { Role } from "./actor";
import { findScope } from "./find-scope";
import { hashPassword } from "./password";

export const passwordCharactersMin = 12;

export type NewUser = {
  tenantRef: string;
  email: string;
  name: string;
  password: string;
  roles: readonly Role[];
  /** Left out or empty: the roles hold in all clinics of the tenant group. */
  clinicRefs?: readonly string[];
};

/** Makes a user with each role in each clinic named. Throws AppError: not-found, subject-invalid (address taken, password too short). */
export async function createUser(db: Db, by: string, wish: NewUser): Promise<{ userId: string; ref: string }> {
  if (wish.password.length < passwordCharactersMin)
    throw new AppError("subject-invalid", `A password needs at least ${passwordCharactersMin} characters.`);
  const passwordHash = await hashPassword(wish.password); // before the transaction: nothing but the database is awaited inside
  const work = withTx(db, {}, async (tx) => {
    const { tenantGroupId, clinicIds } = await findScope(tx, wish);
    const [user] = await tx.sql<{ id: string; ref: string }[]>`
      insert into users (tenant_group_id, ref, email, name, password_hash)
      values (${tenantGroupId}, ${newRef("ST")}, ${wish.email.trim()}, ${wish.name}, ${passwordHash})
      returning id, ref`;
    if (!user) throw new Error("an insert returned no row");
    const where = clinicIds.length > 0 ? clinicIds : [null];
    for (const role of wish.roles)
      for (const clinicId of where)
        await tx.sql`insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${tenantGroupId}, ${user.id}, ${role}, ${clinicId})`;
    const actor = { kind: "command-line", tenantGroupId, ref: by } as const;
    await appendAuditEntry(tx, actor, {
      act: "user.created",
      subjectType: "user",
      subjectId: user.id,
      details: { roles: wish.roles.join(" ") },
    });
    return { userId: user.id, ref: user.ref };
  });
  return work.catch((error) => {
    if (sqlstate(error) === "23505") throw new AppError("subject-invalid", "Somebody has that address already.");
    throw error;
  });
}

export type ListedUser = { ref: string; email: string; roles: string[]; disabled: boolean };

/** The users of a tenant group with their roles, e.g. `STAFF` (all clinics) or `FRONT_DESK@CL-7F3K2M`. */
export function listUsers(db: Db, tenantRef: string): Promise<ListedUser[]> {
  return withRead(db, {}, async (tx) => {
    const { tenantGroupId } = await findScope(tx, { tenantRef });
    return tx.sql<ListedUser[]>`
      select u.ref, u.email, u.disabled_at is not null as disabled,
             (select coalesce(jsonb_agg(r.role || coalesce('@' || c.ref, '') order by r.role, c.ref), '[]')
              from user_roles r
              left join clinics c on c.id = r.clinic_id
              where r.user_id = u.id) as roles
      from users u
      where u.tenant_group_id = ${tenantGroupId}
      order by u.ref`;
  });
}

/** Ends (or gives back) everything a user may do, with their next request. Throws AppError not-found. */
export function setUserDisabled(db: Db, by: string, who: { tenantRef: string; userRef: string; disabled: boolean }): Promise<void> {
  return withTx(db, {}, async (tx) => {
    const { tenantGroupId } = await findScope(tx, who);
    const [user] = await tx.sql<{ id: string }[]>`
      update users
      set disabled_at = case when ${who.disabled} then coalesce(disabled_at, clock_timestamp()) end
      where tenant_group_id = ${tenantGroupId} and ref = ${who.userRef}
      returning id`;
    if (!user) throw new AppError("not-found", `There is no user ${who.userRef} in ${who.tenantRef}.`);
    const actor = { kind: "command-line", tenantGroupId, ref: by } as const;
    await appendAuditEntry(tx, actor, { act: who.disabled ? "user.disabled" : "user.enabled", subjectType: "user", subjectId: user.id });
  });
}
