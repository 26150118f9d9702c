import { z } from "zod";
import { type Db, type Tx, withRead, withTx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { runCommand } from "@/server/domain/idempotency/run-command";
import type { Answer, CommandAnswer, CommandCall, CommandDeps } from "@/server/domain/idempotency/types";
import type { PersonActor } from "@/server/domain/scope/actor";
import { lockPlanningScope } from "./set-up";

/** A replay of more records, or with an event older than this, needs a second person; 0 asks for one every time. */
export const replayLimitsInput = z.object({ records: z.int().min(0).max(10_000), ageHours: z.int().min(0).max(87_600) });
export type ReplayLimits = z.infer<typeof replayLimitsInput>;
export type ReplayLimitsCall = CommandCall & { actor: PersonActor; expectedVersion: string };

const operation = "delivery.setReplayLimits";

/** What a change names: whoever read other limits than those that are there decides anew. */
export const limitsVersion = ({ records, ageHours }: ReplayLimits): string => `${records}.${ageHours}`;

/** Throws not-found for a clinic out of scope. */
export async function readReplayLimits(db: Db, actor: PersonActor, clinicId: string): Promise<ReplayLimits> {
  return withRead(db, actor, (tx) => limitsOf(tx, actor, clinicId));
}

async function limitsOf(tx: Tx, actor: PersonActor, clinicId: string): Promise<ReplayLimits> {
  const [row] = await tx.sql<ReplayLimits[]>`
    select replay_records_limit as records, replay_age_hours_limit as "ageHours"
    from clinics where id = ${clinicId} and tenant_group_id = ${actor.tenantGroupId} and id = any (${actor.clinicIds}::uuid[])`;
  if (!row) throw new AppError("not-found");
  return row;
}

/**
 * Sets from which size and age a replay needs a second person. Only an ADMIN of the clinic, as the rows say it in this very transaction; requests that were
 * previewed before are measured against the new limits when they are approved. Throws right-missing (audited), not-found, and (stored) row-stale with the
 * limits that are there now.
 */
export async function setReplayLimits(deps: CommandDeps, call: ReplayLimitsCall, limits: ReplayLimits): Promise<CommandAnswer> {
  const { actor, clinicId, key, requestId, method, body, expectedVersion } = call;
  const fingerprint = { method, operation, pathParams: {}, ifMatch: expectedVersion, body };
  try {
    return await runCommand(deps, { actor, clinicId, key, requestId, fingerprint }, (tx) => set(tx, call, limits));
  } catch (error) {
    if (error instanceof AppError && error.code === "right-missing") await noteRefusal(deps.db, actor, clinicId);
    throw error;
  }
}

async function set(tx: Tx, { actor, clinicId, expectedVersion }: ReplayLimitsCall, limits: ReplayLimits): Promise<Answer> {
  await assertAdmin(tx, actor, clinicId);
  await lockPlanningScope(tx, { tenantGroupId: actor.tenantGroupId, id: clinicId });
  const before = await limitsOf(tx, actor, clinicId);
  if (limitsVersion(before) !== expectedVersion)
    throw new AppError("row-stale", undefined, { seen: expectedVersion, now: limitsVersion(before) });
  await tx.sql`
    update clinics set replay_records_limit = ${limits.records}, replay_age_hours_limit = ${limits.ageHours}
    where id = ${clinicId} and tenant_group_id = ${actor.tenantGroupId}`;
  return {
    status: 200,
    body: { clinicId, ...limits, version: limitsVersion(limits) },
    audit: {
      act: operation,
      role: "ADMIN",
      clinicId,
      subjectType: "clinic",
      subjectId: clinicId,
      details: { from: limitsVersion(before), records: limits.records, ageHours: limits.ageHours },
    },
  };
}

/** For share: a role that is taken away at the same moment is seen, or waits until this act has ended. */
async function assertAdmin(tx: Tx, actor: PersonActor, clinicId: string): Promise<void> {
  const held = await tx.sql`
    select 1
    from users u
    join user_roles r on r.user_id = u.id and r.tenant_group_id = u.tenant_group_id
    where u.id = ${actor.userId} and u.disabled_at is null and r.role = 'ADMIN' and (r.clinic_id is null or r.clinic_id = ${clinicId})
    for share of u, r`;
  if (held.length === 0) throw new AppError("right-missing", "This needs the right ADMIN.", { right: "ADMIN" });
}

const noteRefusal = (db: Db, actor: PersonActor, clinicId: string): Promise<void> =>
  withTx(db, actor, (tx) =>
    appendAuditEntry(tx, actor, {
      act: "access.refused",
      result: "REFUSED",
      reasonCode: "RIGHT_MISSING",
      clinicId,
      details: { operation, right: "ADMIN" },
    }),
  );
