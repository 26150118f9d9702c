// For tests: people of a clinic, rows that stopped or wait, and acts on them.
import type { Db } from "@/db/client";
import type { CommandDeps } from "@/server/domain/idempotency/types";
import { type TestScope, testRing } from "@/server/domain/inbox/testing";
import type { PersonActor, Role } from "@/server/domain/scope/actor";
import { newRef, newUuid } from "@/server/ids";
import { readSeenRow } from "./read-seen-row";
import type { ActCall } from "./types";

export const testDeps = (db: Db): CommandDeps => ({ db, digestKeys: testRing, retentionHours: 24, waitMs: 2_000 });

/** A person of the clinic with these roles, in the database and as the actor that a session gives. */
export async function insertPerson(superuser: Db, scope: TestScope, ...roles: Role[]): Promise<PersonActor> {
  const [userId, ref] = [newUuid(), newRef("ST")];
  const sql = superuser.$client;
  await sql`
    insert into users (id, tenant_group_id, ref, email, name, password_hash)
    values (${userId}, ${scope.tenantGroupId}, ${ref}, ${`${ref}@clinic.invalid`}, 'Name', 'x')`;
  for (const role of roles)
    await sql`
      insert into user_roles (tenant_group_id, user_id, role, clinic_id) values (${scope.tenantGroupId}, ${userId}, ${role}, ${scope.clinicId})`;
  return {
    kind: "person",
    tenantGroupId: scope.tenantGroupId,
    clinicIds: [scope.clinicId],
    userId,
    ref,
    roles: roles.map((role) => ({ role, clinicId: scope.clinicId })),
  };
}

type Stopped = {
  state?: "QUARANTINED" | "RETRYABLE" | "PROCESSING" | "PROCESSED";
  reason?: string;
  consumer?: string;
  aggregateId?: string;
  seq?: number;
};

/** An inbox row as its consumer left it. Answers its id. */
export async function insertInboxRow(superuser: Db, scope: TestScope, row: Stopped = {}): Promise<string> {
  const { state = "QUARANTINED", reason = "HANDLER_FAILED", consumer = "daily-load-v1", aggregateId = newUuid(), seq = 1 } = row;
  const sql = superuser.$client;
  const at = new Date().toISOString();
  const [made] = await sql`
    insert into inbox ${sql({
      tenant_group_id: scope.tenantGroupId,
      clinic_id: scope.clinicId,
      consumer,
      event_id: newUuid(),
      command_id: newUuid(),
      event_type: "AppointmentCreated",
      schema_version: 1,
      aggregate_type: "appointment",
      aggregate_id: aggregateId,
      aggregate_seq: seq,
      content_digest: "digest",
      digest_key_id: "k1",
      log_id: "log-1",
      topic: "appointment.v1",
      partition: 3,
      first_offset: 7,
      last_partition: 3,
      last_offset: 7,
      state,
      attempts: 5,
      attempts_max: 5,
      reason_code: state === "PROCESSED" || state === "PROCESSING" ? null : reason,
      next_attempt_at: state === "RETRYABLE" ? at : null,
      lease_owner: state === "PROCESSING" ? "worker-1" : null,
      lease_until: state === "PROCESSING" ? new Date(Date.now() + 60_000).toISOString() : null,
      processed_at: state === "PROCESSED" ? at : null,
      effect: state === "PROCESSED" ? "APPLIED" : null,
      quarantined_at: state === "QUARANTINED" ? at : null,
    })}
    returning id`;
  return made?.id;
}

/** The call of an act by somebody who has just read the row. */
export async function callOn(db: Db, actor: PersonActor, scope: TestScope, id: string, more: Partial<ActCall> = {}): Promise<ActCall> {
  const { state: _, ...row } = await readSeenRow(db, actor, id);
  return { actor, clinicId: scope.clinicId, key: newUuid(), requestId: newUuid(), method: "MUTATION", body: {}, row, ...more };
}
