import type { Tx } from "@/db/client";
import { actorIdentity } from "@/server/domain/scope/actor";
import { callerOf } from "./key";
import type { Command } from "./types";

export type LaterCall = {
  outcome: "REPLAYED" | "REUSED" | "IN_PROGRESS" | "OVERLOADED";
  status: number;
  /** null while another call holds the key */
  commandId: string | null;
  durationMs: number;
};

/** Writes a call that was not the first under its key. Append-only: the counts on screens and the story are made from these rows. */
export async function recordCall(tx: Tx, command: Command, call: LaterCall): Promise<void> {
  const { actor, clinicId, key } = command;
  const { kind, id } = actorIdentity(actor);
  await tx.sql`
    insert into command_calls (tenant_group_id, clinic_id, caller, key, operation, command_id, outcome, status, actor_kind, actor_id,
      request_id, called_at, duration_ms)
    values (${actor.tenantGroupId}, ${clinicId}, ${callerOf(actor, clinicId)}, ${key}, ${command.fingerprint.operation}, ${call.commandId},
      ${call.outcome}, ${call.status}, ${kind}, ${id}, ${command.requestId},
      clock_timestamp() - make_interval(secs => ${call.durationMs / 1000}::float8), ${Math.round(call.durationMs)})`;
}
