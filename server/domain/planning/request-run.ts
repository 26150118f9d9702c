import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { lockPlanningScope } from "@/server/domain/clinics/set-up";
import { runCommand } from "@/server/domain/idempotency/run-command";
import type { Answer, CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { hasRole, type PersonActor, type Role } from "@/server/domain/scope/actor";
import { newRef, newUuid } from "@/server/ids";
import type { PlanningCall, PlanRequest, RequestedFrom } from "./types";
import { usualSolve } from "./usual-solve";

/** A run to be written: who asks, for what, and which run it takes the place of. */
export type NewRun = PlanRequest & {
  actor: PersonActor;
  clinicId: string;
  commandId: string;
  requestedFrom: RequestedFrom;
  keptIds?: string[];
  previous?: { id: string; as: "RECALCULATION" | "PART" };
};

/**
 * Asks for new times: one run for one key, calculated by a planning solver. FRONT_DESK of the clinic or STAFF. While a run of dates that overlap is being
 * calculated there is no second one: the refusal names the first. Throws right-missing; stored: subject-invalid, planning-running.
 */
export function requestRun(
  deps: CommandDeps,
  call: PlanningCall,
  request: PlanRequest,
  requestedFrom: RequestedFrom,
): Promise<CommandAnswer> {
  const { actor, clinicId, key, requestId, method, body } = call;
  const role = askingRole(actor, clinicId);
  const fingerprint = { method, operation: "planning.request", pathParams: {}, ifMatch: null, body };
  return runCommand(deps, { actor, clinicId, key, requestId, fingerprint }, async (tx, { commandId }): Promise<Answer> => {
    const run = await writeRun(tx, { ...request, actor, clinicId, commandId, requestedFrom });
    return requested(run, role, "planning.requested", request);
  });
}

export function askingRole(actor: PersonActor, clinicId: string): Role {
  const role = (["STAFF", "FRONT_DESK"] as const).find((one) => hasRole(actor, one, clinicId));
  if (!role) throw new AppError("right-missing", "This needs the right FRONT_DESK or STAFF.", { right: "FRONT_DESK" });
  return role;
}

export const requested = (
  run: WrittenRun,
  role: Role,
  act: string,
  range: Pick<PlanRequest, "fromDate" | "untilDate">,
  previousRef?: string,
): Answer => ({
  status: 201,
  body: { id: run.id, ref: run.ref, state: "REQUESTED", fromDate: range.fromDate, untilDate: range.untilDate },
  audit: {
    act,
    role,
    subjectType: "planning-run",
    subjectId: run.id,
    details: { run: run.ref, from: range.fromDate, until: range.untilDate, ...(previousRef ? { previous: previousRef } : {}) },
  },
});

export type WrittenRun = { id: string; ref: string };

/** Writes a run that a solver will find. Two who ask at once meet at the planning scope. */
export async function writeRun(tx: Tx, run: NewRun): Promise<WrittenRun> {
  const { actor, clinicId, fromDate, untilDate, chosenIds } = run;
  const { tenantGroupId } = actor;
  await lockPlanningScope(tx, { tenantGroupId, id: clinicId });
  await assertCovered(tx, run);
  const [running] = await tx.sql<{ id: string; ref: string; state: string; from_date: string; until_date: string }[]>`
    select id, ref, state, from_date, until_date
    from planning_runs
    where clinic_id = ${clinicId} and state in ('REQUESTED', 'CALCULATING') and from_date <= ${untilDate} and until_date >= ${fromDate}
    order by requested_at
    limit 1`;
  if (running) {
    const { id: runId, ref, state } = running;
    throw new AppError("planning-running", undefined, { runId, ref, state, fromDate: running.from_date, untilDate: running.until_date });
  }
  const made = { id: newUuid(), ref: newRef("SOL") };
  await tx.sql`
    insert into planning_runs (id, tenant_group_id, clinic_id, ref, from_date, until_date, chosen_ids, kept_ids, requested_from, requested_by_id,
      requested_by_kind, requested_by_ref, command_id, previous_run_id, previous_as, seed, effort, time_limit_ms)
    values (${made.id}, ${tenantGroupId}, ${clinicId}, ${made.ref}, ${fromDate}, ${untilDate}, ${chosenIds}::uuid[], ${run.keptIds ?? []}::uuid[],
      ${run.requestedFrom}, ${actor.userId}, 'person', ${actor.ref}, ${run.commandId}, ${run.previous?.id ?? null}, ${run.previous?.as ?? null},
      ${usualSolve.seed}, ${JSON.stringify(usualSolve.effort)}::jsonb, ${usualSolve.timeLimitMs})`;
  return made;
}

/** A visit outside of the dates would be left out without a word: the solver never sees it. */
async function assertCovered(tx: Tx, { clinicId, chosenIds, fromDate, untilDate }: NewRun): Promise<void> {
  if (chosenIds.length === 0) return;
  const found = await visitsWithin(tx, clinicId, { fromDate, untilDate, ids: chosenIds });
  if (found.length !== chosenIds.length)
    throw new AppError("subject-invalid", "A visit that was chosen is none of this clinic, or begins on none of these dates.");
}

/** Of some visits, those of the clinic that begin on these dates, by id. */
export async function visitsWithin(
  tx: Tx,
  clinicId: string,
  { fromDate, untilDate, ids }: { fromDate: string; untilDate: string; ids: readonly string[] },
): Promise<string[]> {
  const rows = await tx.sql<{ id: string }[]>`
    select id from appointments
    where clinic_id = ${clinicId} and id = any (${[...ids]}::uuid[]) and local_date between ${fromDate}::date and ${untilDate}::date
    order by id`;
  return rows.map(({ id }) => id);
}
