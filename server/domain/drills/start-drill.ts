import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { runCommand } from "@/server/domain/idempotency/run-command";
import type { Answer, CommandAnswer, CommandCall, CommandDeps } from "@/server/domain/idempotency/types";
import type { PersonActor } from "@/server/domain/scope/actor";
import { newRef, newUuid } from "@/server/ids";
import type { DrillName } from "./catalog";
import { mayStart } from "./next-actions";
import { readOpenRun } from "./read-runs";

export type DrillCall = CommandCall & { actor: PersonActor };

/**
 * Asks for a run of a drill; a drill runner carries it out, and goes on with it when another runner dies. A second call under the key gets the first
 * run. Throws (stored) action-not-allowed with `why`.
 */
export function startDrill(deps: CommandDeps, call: DrillCall, drill: DrillName): Promise<CommandAnswer> {
  const { actor, clinicId, key, requestId, method, body } = call;
  const fingerprint = { method, operation: "drill.start", pathParams: { drill }, ifMatch: null, body };
  return runCommand(deps, { actor, clinicId, key, requestId, fingerprint }, (tx) => start(tx, call, drill));
}

async function start(tx: Tx, { actor, clinicId }: DrillCall, drill: DrillName): Promise<Answer> {
  const action = mayStart(actor, clinicId, drill, await readOpenRun(tx, actor.tenantGroupId));
  if (!action.allowed) throw new AppError("action-not-allowed", undefined, { why: action.why });
  const run = { id: newUuid(), ref: newRef("DR") };
  // the rule has looked; two who start at the same moment meet at the index
  const written = await tx.sql`
    insert into drill_runs (id, tenant_group_id, ref, drill, carried_out, started_by_kind, started_by_ref)
    values (${run.id}, ${actor.tenantGroupId}, ${run.ref}, ${drill}, 'AUTOMATED', 'person', ${actor.ref})
    on conflict (tenant_group_id) where state in ('REQUESTED', 'RUNNING') do nothing
    returning id`;
  if (written.length === 0) throw new AppError("action-not-allowed", undefined, { why: "ANOTHER_RUNS" });
  return {
    status: 201,
    body: { id: run.id, ref: run.ref, drill, state: "REQUESTED" },
    audit: { act: "drill.started", role: "STAFF", clinicId, subjectType: "drill", subjectId: run.id, details: { drill, run: run.ref } },
  };
}
