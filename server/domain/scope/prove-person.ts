import { type Db, withTx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { loadActor, type SignedInPerson } from "./load-actor";
import { verifyPassword } from "./password";

/**
 * A person at a command line, by address and password, with the roles of this moment. It leaves the same audit entry as a sign-in at a page. Throws
 * AppError signed-out: unknown address, wrong password or disabled account, one answer for all.
 */
export async function provePerson(db: Db, email: string, password: string): Promise<SignedInPerson> {
  type Found = { id: string; tenant_group_id: string; password_hash: string; disabled: boolean };
  const [found] = await db.$client<Found[]>`select * from auth_find_user(${email.trim().toLowerCase()})`;
  const matches = await verifyPassword(password, found?.password_hash);
  const person = matches && found ? await loadActor(db, { tenantGroupId: found.tenant_group_id, userId: found.id }) : undefined;
  if (!person) throw new AppError("signed-out");
  await withTx(db, person, (tx) => appendAuditEntry(tx, person, { act: "session.signed-in", details: { via: "command-line" } }));
  return person;
}
