import { z } from "zod";
import { runCommand } from "@/server/domain/idempotency/run-command";
import type { CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import { newRef, newUuid } from "@/server/ids";
import type { DrillName } from "./catalog";
import type { DrillCall } from "./start-drill";

/** A drill that people carried out with the runbook in hand. */
export const byPeople = z.object({
  people: z.number().int().min(1).max(99),
  minutes: z.number().int().min(1).max(480),
  result: z.enum(["PASSED", "FAILED"]),
  /** What was found; opaque words of STAFF. */
  note: z.string().trim().min(3).max(500),
});
export type ByPeople = z.infer<typeof byPeople>;

/** Writes down that people carried out a drill, and how it ended. It stands as such: nothing was judged by code. */
export function recordByPeople(deps: CommandDeps, call: DrillCall, drill: DrillName, held: ByPeople): Promise<CommandAnswer> {
  const { actor, clinicId, key, requestId, method, body } = call;
  const fingerprint = { method, operation: "drill.record", pathParams: { drill }, ifMatch: null, body };
  return runCommand(deps, { actor, clinicId, key, requestId, fingerprint }, async (tx) => {
    const run = { id: newUuid(), ref: newRef("DR") };
    await tx.sql`
      insert into drill_runs (id, tenant_group_id, ref, drill, carried_out, people, started_by_kind, started_by_ref, state, note, started_at, ended_at, duration_ms)
      select ${run.id}, ${actor.tenantGroupId}, ${run.ref}, ${drill}, 'BY_PEOPLE', ${held.people}, 'person', ${actor.ref}, ${held.result}, ${held.note},
        clock_timestamp() - ${held.minutes} * interval '1 minute', clock_timestamp(), ${held.minutes * 60_000}::int4`;
    return {
      status: 201,
      body: { id: run.id, ref: run.ref, drill, state: held.result },
      audit: {
        act: "drill.recorded",
        role: "STAFF",
        clinicId,
        reason: held.note,
        subjectType: "drill",
        subjectId: run.id,
        details: { drill, run: run.ref, people: held.people, result: held.result },
      },
    };
  });
}
