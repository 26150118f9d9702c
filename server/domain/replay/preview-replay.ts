import type { Actor } from "@/server/domain/scope/actor";
import { asReplayOperator } from "./as-replay-operator";
import { askLog } from "./ask-log";
import { type Bound, bindRequest } from "./bind-request";
import { askOrUnknown, probeWritable, readBinding } from "./check-facts";
import { type Check, evaluateChecks, failedChecks, known } from "./checks";
import type { OpenRequest } from "./open-requests";
import type { ReplayRequest } from "./read-request";
import { recordRefusal } from "./refuse";
import type { ReplayDeps, ReplaySelection } from "./types";

export type ReplayPreview = {
  /** The frozen manifest that the id is bound to; null when the id belongs to something else. */
  request: ReplayRequest | null;
  checks: Check[];
  /** RF-… of the refusal when a check failed or has no answer. */
  refusal: string | null;
  /** An open replay that holds what was asked for: the same work, asked for before. */
  openRequest: OpenRequest | null;
  /** Records of the reason or range that another open replay holds: left out of the manifest. */
  heldElsewhere: number;
};

/**
 * Binds a request id to exact rows, their versions and the log's end, once, and evaluates the five checks over them. Asked again with the same id it
 * answers with the same manifest and fresh checks; asked with another selection the id stays where it is, and the check of it fails. Nothing is claimed
 * or run. Throws AppError: right-missing, not-found, replay-refused (nothing to replay), replay-over-bounds, event-log-unavailable.
 */
export async function previewReplay(
  deps: ReplayDeps,
  actor: Actor,
  input: { clinicId: string; requestId: string; selection: ReplaySelection },
): Promise<ReplayPreview> {
  const { clinicId, requestId } = input;
  const log = await askLog(deps);
  const bound = await asReplayOperator(deps.db, actor, clinicId, (tx, operator) => bindRequest(tx, deps, operator, input, log));
  if (bound.end === "REFUSED") throw bound.error;
  const { request, openRequest, heldElsewhere } = bound;
  const checks = evaluateChecks({
    request: bound.asked,
    rows: known(bound.rows),
    binding: await askOrUnknown(deps.db, actor, (tx) => readBinding(tx, requestId)),
    writable: await askOrUnknown(deps.db, actor, probeWritable),
  });
  // an approved request is past its checks: its state says what became of it
  const isDecided = request !== null && request.state !== "PREVIEWED";
  const failed = isDecided ? [] : failedChecks(checks);
  const refusal =
    failed.length === 0
      ? null
      : await asReplayOperator(deps.db, actor, clinicId, (tx, operator) =>
          recordRefusal(tx, operator, { requestId, ...subjectOf(bound, input.selection), failed }),
        );
  return { request, checks, refusal, openRequest, heldElsewhere };
}

const subjectOf = ({ asked }: Bound, selection: ReplaySelection) =>
  selection.kind === "row"
    ? { subject: selection.inboxId, subjectVersion: selection.rowVersion }
    : { subject: asked.selectionDigest, subjectVersion: asked.digest };
