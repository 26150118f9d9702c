// What every command on facts does first and last. In between it writes one row (or a week), and the trigger of its table bumps the planning scope.
import type { Tx } from "@/db/client";
import type { Command, CommandCall } from "@/server/domain/idempotency/types";
import { appendEvent } from "@/server/domain/outbox/append-event";
import { actorIdentity } from "@/server/domain/scope/actor";
import { testPoint } from "@/server/test-points";
import type { ClinicFactChangeV1 } from "../event-log/contracts/clinic-fact-v1";
import { assertMayWriteFacts, type factRights } from "./fact-actions";
import { type Span, toIso } from "./local-time";
import { lockPlanningScope } from "./set-up";

/** A call that changes a fact which exists. */
export type FactChangeCall = CommandCall & {
  factId: string;
  /** The version that the caller has read: If-Match. */
  expectedVersion: string;
};

export const toFactCommand = (operation: string, call: CommandCall | FactChangeCall, subjectType: string): Command => {
  const change = "factId" in call ? call : undefined;
  return {
    actor: call.actor,
    clinicId: call.clinicId,
    key: call.key,
    requestId: call.requestId,
    fingerprint: {
      method: call.method,
      operation,
      pathParams: change ? { factId: change.factId } : {},
      ifMatch: change?.expectedVersion ?? null,
      body: call.body,
    },
    ...(change ? { subject: { type: subjectType, id: change.factId } } : {}),
  };
};

/**
 * Locks the clinic's planning scope, where bookings and applies meet this writer: what they committed is seen by every statement after it, and what they
 * begin waits for this one. Then says who acts, for the list of changes that the triggers write.
 */
export async function beginFactWrite(
  tx: Tx,
  call: CommandCall,
  commandId: string,
  what: keyof typeof factRights,
): Promise<{ now: number; tenantGroupId: string; id: string }> {
  const { actor, clinicId } = call;
  assertMayWriteFacts(actor, clinicId, what);
  const clinic = { tenantGroupId: actor.tenantGroupId, id: clinicId };
  await lockPlanningScope(tx, clinic);
  const { kind, ref } = actorIdentity(actor);
  const [row] = await tx.sql<{ now: number }[]>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now,
           set_config('app.actor_kind', ${kind}, true), set_config('app.actor_ref', ${ref}, true), set_config('app.command_id', ${commandId}, true)`;
  await testPoint("facts.locked", { commandId, tx });
  return { now: row?.now as number, ...clinic };
}

type FactChange = Pick<ClinicFactChangeV1, "fact" | "change" | "factId" | "doctorId" | "equipmentId"> & { span: Span | null };

/** Announces the change, in the order of the clinic's facts. @returns the counter of the planning scope as this command leaves it */
export async function publishFactChange(tx: Tx, call: CommandCall, commandId: string, { span, ...change }: FactChange): Promise<string> {
  await testPoint("facts.written", { commandId, tx });
  const { actor, clinicId } = call;
  const [scope] = await tx.sql<{ seq: string; fact_version: string }[]>`
    update planning_scopes set event_seq = event_seq + 1
    where clinic_id = ${clinicId}
    returning event_seq::text as seq, fact_version::text`;
  if (!scope) throw new Error("a locked planning scope is gone");
  const payload: ClinicFactChangeV1 = {
    clinicId,
    ...change,
    from: span && toIso(span.from),
    until: span && toIso(span.until),
    factVersion: scope.fact_version,
  };
  await appendEvent(tx, {
    commandId,
    tenantGroupId: actor.tenantGroupId,
    clinicId,
    topic: "clinic-fact.v1",
    aggregateType: "clinic-facts",
    aggregateId: clinicId,
    aggregateSeq: scope.seq,
    type: "ClinicFactChanged",
    schemaVersion: 1,
    payload,
    traceparent: call.traceparent,
  });
  return scope.fact_version;
}
