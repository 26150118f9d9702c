import { type Db, withTx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import type { HeldRole, PersonActor } from "@/server/domain/scope/actor";
import type { SessionUser } from "@/server/domain/scope/load-actor";
import { verifyPassword } from "@/server/domain/scope/password";
import type { RateLimits } from "@/server/http/rate-limits";

export type SignInOutcome =
  | { outcome: "SIGNED_IN"; user: SessionUser }
  /** Unknown address, wrong password or disabled account: one answer for all. */
  | { outcome: "REFUSED" }
  | { outcome: "THROTTLED"; retryAfterSeconds: number };

/**
 * Decides one attempt to sign in. It is counted before the password is looked at, so parallel guesses share one budget, by account (known or not)
 * and by address. Known accounts leave an audit entry, signed in or refused.
 */
export async function verifySignIn(
  db: Db,
  limits: RateLimits,
  attempt: { email: string; password: string; address: string },
): Promise<SignInOutcome> {
  const account = attempt.email.trim().toLowerCase();
  const throttled = await take(limits, account, attempt.address);
  if (throttled) return throttled;
  const [found] = await db.$client<FoundUser[]>`select * from auth_find_user(${account})`;
  const matches = await oneOfFew(() => verifyPassword(attempt.password, found?.password_hash));
  if (matches === "BUSY") return { outcome: "THROTTLED", retryAfterSeconds: 5 };
  if (!found) return { outcome: "REFUSED" };
  const user = { tenantGroupId: found.tenant_group_id, userId: found.id };
  if (!matches || found.disabled) {
    await auditSession(db, user, "session.sign-in-refused", found.disabled ? "USER_DISABLED" : "PASSWORD_WRONG");
    return { outcome: "REFUSED" };
  }
  await auditSession(db, user, "session.signed-in");
  await limits.account.forgive(account);
  await limits.address.giveBack(attempt.address);
  return { outcome: "SIGNED_IN", user };
}

type FoundUser = { id: string; tenant_group_id: string; password_hash: string; disabled: boolean };

/** An act on the tenant group, by a person with the roles of that moment. */
export async function auditSession(db: Db, user: SessionUser, act: string, refusedBecause?: string): Promise<void> {
  await withTx(db, { tenantGroupId: user.tenantGroupId }, async (tx) => {
    const [row] = await tx.sql<{ ref: string; roles: HeldRole[] }[]>`
      select ref,
        coalesce((select jsonb_agg(jsonb_build_object('role', r.role, 'clinicId', r.clinic_id)) from user_roles r where r.user_id = u.id), '[]') as roles
      from users u
      where u.id = ${user.userId}`;
    if (!row) return;
    const actor: PersonActor = { kind: "person", ...user, clinicIds: [], ref: row.ref, roles: row.roles };
    await appendAuditEntry(tx, actor, { act, result: refusedBecause ? "REFUSED" : "DONE", reasonCode: refusedBecause });
  });
}

async function take(limits: RateLimits, account: string, address: string): Promise<SignInOutcome | undefined> {
  try {
    await limits.address.consume(address);
    await limits.account.consume(account);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "rate-limited")) throw error;
    return { outcome: "THROTTLED", retryAfterSeconds: error.retryAfterSeconds ?? 60 };
  }
}

/** A run takes 32 MiB and a thread of Node's pool of four, which files and name look-ups need too: two at a time, and few may wait. */
const runsMax = 2;
const waitersMax = 32;
let running = 0;
const waiters: (() => void)[] = [];

async function oneOfFew<T>(run: () => Promise<T>): Promise<T | "BUSY"> {
  if (running >= runsMax) {
    if (waiters.length >= waitersMax) return "BUSY";
    await new Promise<void>((resolve) => waiters.push(resolve)); // woken with a place handed over
  } else {
    running += 1;
  }
  try {
    return await run();
  } finally {
    const next = waiters.shift();
    if (next) next();
    else running -= 1;
  }
}
