import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import type { Actor } from "@/server/domain/scope/actor";
import { asReplayOperator, type ReplayOperator } from "./as-replay-operator";
import { endUnstarted } from "./end-request";
import { type ReplayRequest, readRequest } from "./read-request";
import { recordRefusal } from "./refuse";
import { type ControlAct, controlMove } from "./states";
import type { ReplayDeps } from "./types";

const actName: Record<ControlAct, string> = { PAUSE: "replay.paused", RESUME: "replay.resumed", CANCEL: "replay.cancelled" };

export type Controlled = { request: ReplayRequest; repeated: boolean };

/**
 * Pause, resume, cancel: durable wishes that the runner reads before each item, in the transaction that would claim it. What ran stays as it is; cancelling
 * leaves the rest untouched. The same wish twice changes nothing. Throws AppError: right-missing, not-found, replay-refused.
 */
export async function controlReplay(
  deps: Pick<ReplayDeps, "db">,
  actor: Actor,
  input: { clinicId: string; requestId: string; act: ControlAct },
): Promise<Controlled> {
  const { clinicId, requestId, act } = input;
  const ended = await asReplayOperator(deps.db, actor, clinicId, async (tx, operator): Promise<Controlled | AppError> => {
    const request = await readRequest(tx, clinicId, requestId, true);
    if (!request) throw new AppError("not-found");
    const move = controlMove(act, { ...request, hasStarted: request.startedAt !== null });
    if (move.end === "NOT_ALLOWED") return notAllowed(tx, operator, request, act);
    if (move.end === "MOVE") {
      await tx.sql`
        update replay_requests
        set wanted = ${move.wanted}, wanted_by_ref = ${operator.actor.ref}, wanted_at = clock_timestamp(), version = version + 1
        where request_id = ${requestId}`;
      if (move.state === "CANCELLED") await endUnstarted(tx, request, "CANCELLED", "CANCELLED");
      else if (move.state !== request.state) await setState(tx, requestId, move.state);
    }
    const now = (await readRequest(tx, clinicId, requestId)) as ReplayRequest;
    await appendAuditEntry(tx, operator.actor, {
      act: actName[act],
      result: move.end === "MOVE" ? "DONE" : "NO_CHANGE",
      role: "APPOINTMENT_REPLAY_OPERATOR",
      clinicId,
      subjectType: "replay",
      subjectId: requestId,
      details: { job: now.jobRef, state: now.state },
    });
    return { request: now, repeated: move.end === "NO_CHANGE" };
  });
  if (ended instanceof AppError) throw ended;
  return ended;
}

/** Returned, not thrown: the refusal is written in this transaction. */
async function notAllowed(tx: Tx, operator: ReplayOperator, { requestId, state }: ReplayRequest, act: ControlAct): Promise<AppError> {
  const failed = [`${act}_NOT_ALLOWED`];
  const refusal = await recordRefusal(tx, operator, { requestId, subject: requestId, subjectVersion: state, failed });
  return new AppError("replay-refused", undefined, { failed, refusal, state });
}

const setState = (tx: Tx, requestId: string, state: string) =>
  tx.sql`update replay_requests set state = ${state} where request_id = ${requestId}`;
