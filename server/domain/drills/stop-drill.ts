import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { runCommand } from "@/server/domain/idempotency/run-command";
import type { Answer, CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { mayStop } from "./next-actions";
import type { DrillCall } from "./start-drill";
import type { DrillState } from "./types";

/** Wishes an end of a run; its runner sees it at the next step and keeps what was done. Throws not-found, or (stored) action-not-allowed with `why`. */
export function stopDrill(deps: CommandDeps, call: DrillCall, runId: string): Promise<CommandAnswer> {
  const { actor, clinicId, key, requestId, method, body } = call;
  const fingerprint = { method, operation: "drill.stop", pathParams: { run: runId }, ifMatch: null, body };
  return runCommand(deps, { actor, clinicId, key, requestId, fingerprint }, (tx) => stop(tx, call, runId));
}

async function stop(tx: Tx, { actor, clinicId }: DrillCall, runId: string): Promise<Answer> {
  const [run] = await tx.sql<{ ref: string; drill: string; state: DrillState; wanted: "RUN" | "CANCEL" }[]>`
    select ref, drill, state, wanted from drill_runs where id = ${runId} and tenant_group_id = ${actor.tenantGroupId} for no key update`;
  if (!run) throw new AppError("not-found");
  const action = mayStop(actor, clinicId, run);
  if (!action.allowed) throw new AppError("action-not-allowed", undefined, { why: action.why });
  await tx.sql`update drill_runs set wanted = 'CANCEL', wanted_by_ref = ${actor.ref}, version = version + 1 where id = ${runId}`;
  const details = { drill: run.drill, run: run.ref };
  return {
    status: 200,
    body: { id: runId, ref: run.ref, state: run.state, wanted: "CANCEL" },
    audit: { act: "drill.stopped", role: "STAFF", clinicId, subjectType: "drill", subjectId: runId, details },
  };
}
