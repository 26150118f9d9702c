import type { Tx } from "@/db/client";
import { withSavepoint } from "@/db/client";
import { sqlstate } from "@/db/tx-error";
import { AppError } from "@/server/app-error";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import type { Actor } from "@/server/domain/scope/actor";
import { newRef } from "@/server/ids";
import { testPoint } from "@/server/test-points";
import { asReplayOperator, type ReplayOperator } from "./as-replay-operator";
import { probeWritable, readBinding, readManifestRows, requestFacts } from "./check-facts";
import { evaluateChecks, failedChecks, known } from "./checks";
import { findOpenRequest } from "./open-requests";
import { type ReplayRequest, readRequest } from "./read-request";
import { recordRefusal } from "./refuse";
import { type ReplayBounds, type ReplayDeps, replayLimits } from "./types";

export type ApproveInput = { clinicId: string; requestId: string; digest: string; bounds: ReplayBounds; reason: string };
export type Approval = {
  request: ReplayRequest;
  /** The request had been approved before: nothing changed, and this is its state. */
  repeated: boolean;
};
type Ended = { end: "DONE"; approval: Approval } | { end: "REFUSED"; error: AppError };

/**
 * Approves a previewed request by the operator who acts, bound to the digest that he saw, for one run within 30 minutes. Role, checks and the rows'
 * freedom are looked at in this very transaction. Above a limit of the clinic (records or age) it waits for a second person. A second call, from
 * another window or a double Enter, gets the first one's answer. Throws AppError: right-missing, not-found, replay-refused, replay-already-open.
 */
export async function approveReplay(deps: Pick<ReplayDeps, "db">, actor: Actor, input: ApproveInput): Promise<Approval> {
  const ended = await asReplayOperator(deps.db, actor, input.clinicId, (tx, operator) => approve(tx, operator, input), {
    deadlineMs: 20_000,
  });
  if (ended.end === "REFUSED") throw ended.error;
  return ended.approval;
}

async function approve(tx: Tx, operator: ReplayOperator, input: ApproveInput): Promise<Ended> {
  const { clinicId, requestId, digest, bounds } = input;
  const request = await readRequest(tx, clinicId, requestId, true);
  if (!request) throw new AppError("not-found");
  if (request.manifestDigest !== digest) return refuse(tx, operator, request, ["DIGEST_DIFFERS"]);
  if (request.approverId !== null) return repeated(tx, operator, request);
  if (request.state === "EXPIRED") return refuse(tx, operator, request, ["PREVIEW_OVER"]);
  const failed = await failedNow(tx, operator, request);
  if (failed.length > 0) return refuse(tx, operator, request, failed);

  const held = await holdRows(tx, requestId);
  if (!held) return alreadyOpen(tx, operator, request);
  await testPoint("replay.rowsHeld", input);
  const [approved] = await tx.sql`
    update replay_requests
    set job_ref = ${newRef("RJ")},
        needs_second = needs_second or records > ${operator.recordsLimit} or clock_timestamp() - oldest_at > ${operator.ageHoursLimit} * interval '1 hour',
        approver_id = ${operator.actor.userId}, approver_ref = ${operator.actor.ref}, approved_at = clock_timestamp(), approved_digest = ${digest},
        approval_expires_at = clock_timestamp() + ${replayLimits.approvalMinutes} * interval '1 minute',
        canary_size = ${bounds.canarySize}, rate_per_second = ${bounds.ratePerSecond}, max_seconds = ${bounds.maxSeconds},
        stop_share_percent = ${bounds.stopSharePercent}, reason = ${input.reason},
        state = case when needs_second or records > ${operator.recordsLimit}
          or clock_timestamp() - oldest_at > ${operator.ageHoursLimit} * interval '1 hour' then 'AWAITING_SECOND' else 'QUEUED' end,
        version = version + 1
    where request_id = ${requestId} and state = 'PREVIEWED'
    returning state`;
  if (!approved) throw new Error("a locked request changed its state");
  return { end: "DONE", approval: { request: await audited(tx, operator, request, approved.state), repeated: false } };
}

async function audited(tx: Tx, { actor, clinicId }: ReplayOperator, { requestId }: ReplayRequest, state: string): Promise<ReplayRequest> {
  const now = (await readRequest(tx, clinicId, requestId)) as ReplayRequest;
  await appendAuditEntry(tx, actor, {
    act: state === "AWAITING_SECOND" ? "replay.approval-asked" : "replay.approved",
    role: "APPOINTMENT_REPLAY_OPERATOR",
    clinicId,
    subjectType: "replay",
    subjectId: requestId,
    reason: now.reason ?? undefined,
    details: { job: now.jobRef, manifest: now.ref, digest: now.manifestDigest, records: now.records, needsSecond: now.needsSecond },
  });
  return now;
}

/** Every row of the manifest is held for this request, or none: two requests for one row meet at the unique index, the later one waits and is told. */
async function holdRows(tx: Tx, requestId: string): Promise<boolean> {
  try {
    await withSavepoint(tx, (sp) => sp.sql`update replay_items set is_open = true where request_id = ${requestId} and not is_open`);
    return true;
  } catch (error) {
    if (sqlstate(error) === "23505") return false;
    throw error;
  }
}

async function alreadyOpen(tx: Tx, operator: ReplayOperator, request: ReplayRequest): Promise<Ended> {
  const first = await findOpenRequest(tx, { heldFor: request.requestId });
  const refusal = await recordRefusal(tx, operator, { ...subjectOf(request), failed: ["ALREADY_OPEN"] });
  return { end: "REFUSED", error: new AppError("replay-already-open", undefined, { ...first, refusal }) };
}

/** The same five checks as at the preview, over the rows, the audit and the clock of this transaction. */
async function failedNow(tx: Tx, operator: ReplayOperator, request: ReplayRequest): Promise<string[]> {
  const checks = evaluateChecks({
    request: requestFacts(`${operator.tenantRef} / ${operator.clinicRef}`, request),
    rows: known(await readManifestRows(tx, request.requestId)),
    binding: known(await readBinding(tx, request.requestId)),
    writable: known(await probeWritable(tx)),
  });
  return failedChecks(checks);
}

async function repeated(tx: Tx, operator: ReplayOperator, request: ReplayRequest): Promise<Ended> {
  await appendAuditEntry(tx, operator.actor, {
    act: "replay.approved",
    result: "NO_CHANGE",
    role: "APPOINTMENT_REPLAY_OPERATOR",
    clinicId: operator.clinicId,
    subjectType: "replay",
    subjectId: request.requestId,
    details: { job: request.jobRef, state: request.state },
  });
  return { end: "DONE", approval: { request, repeated: true } };
}

async function refuse(tx: Tx, operator: ReplayOperator, request: ReplayRequest, failed: string[]): Promise<Ended> {
  const refusal = await recordRefusal(tx, operator, { ...subjectOf(request), failed });
  return { end: "REFUSED", error: new AppError("replay-refused", undefined, { failed, refusal }) };
}

const subjectOf = (request: ReplayRequest) =>
  request.selection.kind === "row"
    ? { requestId: request.requestId, subject: request.selection.inboxId, subjectVersion: request.selection.rowVersion }
    : { requestId: request.requestId, subject: request.selectionDigest, subjectVersion: request.manifestDigest };

export type ApproveSecondInput = { clinicId: string; requestId: string; digest: string };

/**
 * The second person's approval of a request that needs one: somebody else, over the same digest, while the first approval holds. The checks are looked at
 * again. Throws AppError: right-missing, not-found, replay-refused.
 */
export async function approveReplaySecond(deps: Pick<ReplayDeps, "db">, actor: Actor, input: ApproveSecondInput): Promise<Approval> {
  const ended = await asReplayOperator(deps.db, actor, input.clinicId, (tx, operator) => approveSecond(tx, operator, input));
  if (ended.end === "REFUSED") throw ended.error;
  return ended.approval;
}

async function approveSecond(tx: Tx, operator: ReplayOperator, { clinicId, requestId, digest }: ApproveSecondInput): Promise<Ended> {
  const request = await readRequest(tx, clinicId, requestId, true);
  if (!request) throw new AppError("not-found");
  if (request.manifestDigest !== digest) return refuse(tx, operator, request, ["DIGEST_DIFFERS"]);
  if (request.secondApproverId === operator.actor.userId) return repeated(tx, operator, request);
  if (request.state !== "AWAITING_SECOND") return refuse(tx, operator, request, ["NOT_AWAITED"]);
  if (request.approverId === operator.actor.userId) return refuse(tx, operator, request, ["SAME_PERSON"]);
  if (request.isApprovalOver) return refuse(tx, operator, request, ["APPROVAL_OVER"]);
  const failed = await failedNow(tx, operator, { ...request, isPreviewOver: false });
  if (failed.length > 0) return refuse(tx, operator, request, failed);
  await tx.sql`
    update replay_requests
    set second_approver_id = ${operator.actor.userId}, second_approver_ref = ${operator.actor.ref}, second_approved_at = clock_timestamp(),
        approval_expires_at = clock_timestamp() + ${replayLimits.approvalMinutes} * interval '1 minute', state = 'QUEUED', version = version + 1
    where request_id = ${requestId} and state = 'AWAITING_SECOND'`;
  const now = (await readRequest(tx, clinicId, requestId)) as ReplayRequest;
  await appendAuditEntry(tx, operator.actor, {
    act: "replay.approved-second",
    role: "APPOINTMENT_REPLAY_OPERATOR",
    clinicId,
    subjectType: "replay",
    subjectId: requestId,
    details: { job: now.jobRef, digest: now.manifestDigest, approver: now.approverRef },
  });
  return { end: "DONE", approval: { request: now, repeated: false } };
}
