import { type Db, type Tx, type TxOptions, withTx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { notedRefusals } from "@/server/domain/audit/noted-refusals";
import type { Actor, PersonActor } from "@/server/domain/scope/actor";

const role = "APPOINTMENT_REPLAY_OPERATOR" as const;

/** Who acts, and the clinic as its row says it now. */
export type ReplayOperator = {
  actor: PersonActor;
  clinicId: string;
  tenantRef: string;
  clinicRef: string;
  recordsLimit: number;
  ageHoursLimit: number;
};

/**
 * The one door of every act of a replay, whoever opens it (page, command line, worker, API): a person who holds APPOINTMENT_REPLAY_OPERATOR for the
 * clinic at this moment, read in the act's own transaction and held until it ends. Tokens and workers hold no role. A refusal is audited and changes
 * nothing. Throws AppError right-missing, not-found.
 */
export async function asReplayOperator<T>(
  db: Db,
  actor: Actor,
  clinicId: string,
  fn: (tx: Tx, operator: ReplayOperator) => Promise<T>,
  options?: TxOptions,
): Promise<T> {
  try {
    return await withTx(db, actor, async (tx) => fn(tx, await admit(tx, actor, clinicId)), options);
  } catch (error) {
    if (error instanceof AppError && error.code === "right-missing") await noteRefusal(db, actor, clinicId, error);
    throw error;
  }
}

async function admit(tx: Tx, actor: Actor, clinicId: string): Promise<ReplayOperator> {
  if (actor.kind !== "person") throw missing();
  const [clinic] = await tx.sql`
    select c.ref as clinic_ref, g.ref as tenant_ref, c.replay_records_limit, c.replay_age_hours_limit
    from clinics c
    join tenant_groups g on g.id = c.tenant_group_id
    where c.id = ${clinicId} and c.tenant_group_id = ${actor.tenantGroupId} and c.id = any (${actor.clinicIds}::uuid[])`;
  if (!clinic) throw new AppError("not-found");
  // for share: a role that is taken away at the same moment is seen, or waits until this act has ended
  const held = await tx.sql`
    select 1
    from users u
    join user_roles r on r.user_id = u.id and r.tenant_group_id = u.tenant_group_id
    where u.id = ${actor.userId} and u.disabled_at is null and r.role = ${role} and (r.clinic_id is null or r.clinic_id = ${clinicId})
    for share of u, r`;
  if (held.length === 0) throw missing();
  return {
    actor,
    clinicId,
    tenantRef: clinic.tenant_ref,
    clinicRef: clinic.clinic_ref,
    recordsLimit: clinic.replay_records_limit,
    ageHoursLimit: clinic.replay_age_hours_limit,
  };
}

const missing = () => new AppError("right-missing", `This needs the right ${role}.`, { right: role });

async function noteRefusal(db: Db, actor: Actor, clinicId: string, refusal: AppError): Promise<void> {
  if (!actor.tenantGroupId) return; // a worker without a tenant group: no audit of anybody to write into
  const isOwnClinic = actor.clinicIds?.includes(clinicId) ?? false;
  await withTx(db, actor, (tx) =>
    appendAuditEntry(tx, actor, {
      act: "replay.refused",
      result: "REFUSED",
      reasonCode: "RIGHT_MISSING",
      clinicId: isOwnClinic ? clinicId : null,
      details: { right: role },
    }),
  );
  notedRefusals.add(refusal);
}

/**
 * For the statements of a runner: true while everybody who approved the request `r` still holds the role and is no disabled user, and holds those rows
 * until the transaction has ended, so that a role is not taken away between this question and the claim that it allows. A fragment, asked together with it.
 */
export const approversHoldRole = (tx: Tx) => tx.sql`
  (hold_role(r.approver_id, r.clinic_id, ${role}) and (r.second_approver_id is null or hold_role(r.second_approver_id, r.clinic_id, ${role})))`;
