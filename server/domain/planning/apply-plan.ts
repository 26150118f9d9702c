import { type Db, type Tx, type TxOptions, withTx } from "@/db/client";
import { needsRestart, sqlstate } from "@/db/tx-error";
import { AppError } from "@/server/app-error";
import { systemClock } from "@/server/clock";
import type { MoveCall } from "@/server/domain/appointments/move-visits";
import { runCommand } from "@/server/domain/idempotency/run-command";
import type { Answer, CommandAnswer, CommandDeps } from "@/server/domain/idempotency/types";
import type { PersonActor } from "@/server/domain/scope/actor";
import { applyInTx, type Verdict } from "./apply-in-tx";
import { HeldScope } from "./held-scope";
import { planningNextActions } from "./next-actions";
import { type PlanningRun, readRun } from "./read-run";
import { recordRetryable, recordVerdict } from "./record-attempt";
import type { ApplyResult, PlanningCall } from "./types";

/** SERIALIZABLE, by indexes: a scan of a whole table would make strangers' applies abort each other. Bookings of the clinic wait for it. */
export const applyTx: TxOptions = { isolation: "serializable", byIndex: true, deadlineMs: 20_000, lockTimeoutMs: 5_000 };

/**
 * Applies a calculated plan, all of it or nothing: the one writer, whoever calls. Ends APPLIED; STALE_REJECTED when a fact, a row that it rests on or a
 * place is another by now (no retry helps); or RETRYABLE when the database asked for a new attempt until the attempts were used up. Each of the three is
 * an answer with what was compared; the first two are stored under the key.
 * Throws not-found, right-missing (the role is read again in this transaction); stored: action-not-allowed with `why`.
 */
export async function applyPlan(deps: CommandDeps, call: PlanningCall, runId: string): Promise<CommandAnswer> {
  const { actor, clinicId, key, requestId, method, body } = call;
  const fingerprint = { method, operation: "planning.apply", pathParams: { run: runId }, ifMatch: null, body };
  const subject = { type: "planning-run", id: runId };
  const attempt = new ApplyAttempt(deps.db, { actor, clinicId, runId, requestKey: key });
  return runCommand(
    deps,
    { actor, clinicId, key, requestId, fingerprint, subject },
    async (tx, { commandId }) => answerOf(await attempt.inTx(tx, commandId, call.traceparent)),
    { tx: applyTx, before: attempt.lockScope, onExhausted: async (error) => answerOf(await attempt.giveUp(error)) },
  );
}

/** The same without a key, on the caller's own authority: a drill's operator. */
export async function applyWithoutKey(
  db: Db,
  actor: PersonActor,
  input: { clinicId: string; runId: string; commandId: string },
): Promise<ApplyResult> {
  const attempt = new ApplyAttempt(db, { actor, ...input, requestKey: null });
  try {
    return await withTx(
      db,
      actor,
      async (tx) => {
        await attempt.lockScope(tx);
        return attempt.inTx(tx, input.commandId);
      },
      applyTx,
    );
  } catch (error) {
    if (!needsRestart(error)) throw error;
    return attempt.giveUp(error);
  }
}

const answerOf = (result: ApplyResult): Answer => ({
  status: 200,
  body: result,
  audit: {
    act: "planning.applied",
    result: result.outcome === "APPLIED" ? "DONE" : result.outcome === "STALE_REJECTED" ? "STALE_REJECTED" : "REFUSED",
    ...(result.outcome === "APPLIED" ? {} : { reasonCode: result.staleKind ?? result.sqlstate ?? "RETRYABLE" }),
    role: "STAFF",
    subjectType: "planning-run",
    subjectId: result.runId,
    details: {
      run: result.runRef,
      attempt: result.attempt,
      written: result.written,
      compared: result.sourcesCompared,
      behind: result.sourcesBehind,
      version: result.factVersion?.found ?? null,
    },
  },
});

type Ordered = { actor: PersonActor; clinicId: string; runId: string; requestKey: string | null };

/** One call's apply over all runs of its transaction. */
class ApplyAttempt {
  private readonly startedMs = systemClock.monotonicMs();
  private runs = 0;
  private scopeMs = 0;
  private held: HeldScope | null = null;

  constructor(
    private readonly db: Db,
    private readonly ordered: Ordered,
  ) {}

  lockScope = async (tx: Tx): Promise<void> => {
    const { actor, clinicId, runId } = this.ordered;
    this.runs += 1;
    const startedMs = systemClock.monotonicMs();
    this.held = await HeldScope.lock(tx, { tenantGroupId: actor.tenantGroupId, clinicId, runId, run: this.runs });
    this.scopeMs = Math.round((systemClock.monotonicMs() - startedMs) * 10) / 10;
  };

  async inTx(tx: Tx, commandId: string, traceparent?: string): Promise<ApplyResult> {
    const { actor, clinicId, requestKey } = this.ordered;
    if (!this.held) throw new Error("an apply begins with the planning scope");
    const run = await this.admit(tx);
    const { tenantGroupId } = run;
    const call: MoveCall = { actor, tenantGroupId, clinicId, commandId, role: "STAFF", reasonCode: "CLINIC_REQUEST", traceparent };
    const verdict = await applyInTx(tx, this.held, run, call, systemClock.monotonicMs);
    return recordVerdict(tx, run, this.timed(verdict), { actor, commandId, requestKey, runs: this.runs, durationMs: this.elapsedMs() });
  }

  /** 40001 or 40P01 until the attempts were used up: nobody was wrong, and nothing is stale. */
  giveUp(error: unknown): Promise<ApplyResult> {
    const { actor, clinicId, runId, requestKey } = this.ordered;
    const attempt = { actor, requestKey, runs: this.runs, durationMs: this.elapsedMs(), sqlstate: sqlstate(error) ?? "40001" };
    return recordRetryable(this.db, actor, { clinicId, runId }, attempt);
  }

  private elapsedMs = () => Math.round(systemClock.monotonicMs() - this.startedMs);
  private timed = (verdict: Verdict): Verdict => ({ ...verdict, stepMs: { scope: this.scopeMs, ...verdict.stepMs } });

  /** The run, held until the end, and the person's role as it is at this moment, held as well: one that is taken away just now is seen or waits. */
  private async admit(tx: Tx): Promise<PlanningRun> {
    const { actor, clinicId, runId } = this.ordered;
    const held = await tx.sql`
      select 1
      from users u
      join user_roles r on r.user_id = u.id and r.tenant_group_id = u.tenant_group_id
      where u.id = ${actor.userId} and u.disabled_at is null and r.role = 'STAFF' and (r.clinic_id is null or r.clinic_id = ${clinicId})
      for share of u, r`;
    if (held.length === 0) throw new AppError("right-missing", "This needs the right STAFF.", { right: "STAFF" });
    const run = await readRun(tx, clinicId, runId, true);
    if (!run) throw new AppError("not-found");
    const decision = planningNextActions(run, actor).apply;
    if (!decision.allowed) throw new AppError("action-not-allowed", undefined, { why: decision.why, state: run.state });
    return run;
  }
}
