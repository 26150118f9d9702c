import type { Tx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import { newRef } from "@/server/ids";
import { testPoint } from "@/server/test-points";
import type { ReplayOperator } from "./as-replay-operator";
import type { LogMarks } from "./ask-log";
import { readManifestRows, requestFacts } from "./check-facts";
import type { CheckFacts, RowFact } from "./checks";
import { fitsInto, type ManifestRow, manifestDigestOf, offsetsSpanned, rangesOf, rangeText, selectionDigest, selectRows } from "./manifest";
import { findOpenRequest, type OpenRequest } from "./open-requests";
import { type ReplayRequest, readRequest } from "./read-request";
import { recordRefusal } from "./refuse";
import { type PartitionRange, type ReplayDeps, type ReplaySelection, replayLimits } from "./types";

/** A request with what the checks compare; `request` is null when its id belongs to something else. */
export type Bound = {
  end: "BOUND";
  request: ReplayRequest | null;
  asked: CheckFacts["request"];
  rows: RowFact[];
  openRequest: OpenRequest | null;
  heldElsewhere: number;
};
/** Answered instead of thrown: the refusal is written in the same transaction, and a throw would undo it. */
type Unbound = { end: "REFUSED"; error: AppError };
type Input = { clinicId: string; requestId: string; selection: ReplaySelection };

/** The first call with an id freezes a manifest and binds the id to it; every later one reads what was frozen. */
export async function bindRequest(
  tx: Tx,
  deps: ReplayDeps,
  operator: ReplayOperator,
  input: Input,
  log: LogMarks,
): Promise<Bound | Unbound> {
  const { clinicId, requestId, selection } = input;
  const existing = await readRequest(tx, clinicId, requestId);
  if (existing && isSameSelection(deps, existing, input)) return readBound(tx, operator, existing);

  const selected = await selectRows(tx, clinicId, log.logId, selection);
  const { rows, heldElsewhere } = selected;
  const topic = rows[0]?.topic;
  if (topic === undefined) return nothingThere(tx, deps, operator, input);
  const marks = log.marks.get(topic) ?? [];
  const ranges = rangesOf(rows, marks, selection.kind === "range" ? selection.ranges : []);
  const items = rows.map((row) => ({ ...row, version: selection.kind === "row" ? selection.rowVersion : row.version }));
  const { logId } = log;
  const digest = manifestDigestOf(deps.ring, { requestId, clinicId, consumer: selection.consumer, logId, topic, ranges, items });
  const manifest = { ...digest, topic, logId, ranges, items, matching: selected.matching };
  if (!existing) {
    const span = offsetsSpanned(ranges);
    if (span > BigInt(replayLimits.offsetsMax)) return overBounds(tx, operator, input, manifest, span);
    await testPoint("replay.beforeBind", input);
    const request = await insertRequest(tx, deps, operator, input, manifest);
    if (request === "MET_ANOTHER") return bindRequest(tx, deps, operator, input, log);
    if (request) return { ...(await readBound(tx, operator, request)), heldElsewhere };
  }
  const asked = {
    scope: scopeOf(operator),
    consumer: selection.consumer,
    selectionDigest: selectionDigest(deps.ring, clinicId, selection, existing?.digestKeyId),
    digest: digest.digest,
    range: rangeText(ranges),
    logId,
    isOver: false,
  };
  const facts = items.map((row) => ({
    ...row,
    isChanged: selected.rows.some((one) => one.inboxId === row.inboxId && one.version !== row.version),
  }));
  return { end: "BOUND", request: null, asked, rows: facts, openRequest: null, heldElsewhere };
}

const scopeOf = ({ tenantRef, clinicRef }: ReplayOperator) => `${tenantRef} / ${clinicRef}`;

const isSameSelection = ({ ring }: ReplayDeps, request: ReplayRequest, { clinicId, selection }: Input): boolean =>
  request.selectionDigest === selectionDigest(ring, clinicId, selection, request.digestKeyId);

async function readBound(tx: Tx, operator: ReplayOperator, request: ReplayRequest): Promise<Bound> {
  const rows = await readManifestRows(tx, request.requestId);
  const openRequest = await findOpenRequest(tx, { heldFor: request.requestId });
  return { end: "BOUND", request, asked: requestFacts(scopeOf(operator), request), rows, openRequest, heldElsewhere: 0 };
}

type Manifest = {
  digest: string;
  keyId: string;
  topic: string;
  logId: string;
  ranges: PartitionRange[];
  items: ManifestRow[];
  matching: number;
};

/** Null: the id is somebody else's, out of sight. MET_ANOTHER: the same id was bound at the same moment, in sight. */
async function insertRequest(
  tx: Tx,
  deps: ReplayDeps,
  operator: ReplayOperator,
  { clinicId, requestId, selection }: Input,
  manifest: Manifest,
): Promise<ReplayRequest | "MET_ANOTHER" | null> {
  const { actor, recordsLimit, ageHoursLimit } = operator;
  const { items, ranges } = manifest;
  const oldestAt = items.map((row) => row.receivedAt).sort()[0] as string;
  const written = await tx.sql`
    insert into replay_requests (request_id, tenant_group_id, clinic_id, ref, requested_by_id, requested_by_ref, consumer, log_id, topic, selection,
      selection_digest, ranges, records, matching, offsets_spanned, waiting_behind, oldest_at, manifest_digest, digest_key_id, needs_second,
      preview_expires_at)
    values (${requestId}, ${actor.tenantGroupId}, ${clinicId}, ${newRef("MF")}, ${actor.userId}, ${actor.ref}, ${selection.consumer}, ${manifest.logId},
      ${manifest.topic}, ${JSON.stringify(selection)}::jsonb, ${selectionDigest(deps.ring, clinicId, selection)}, ${JSON.stringify(ranges)}::jsonb,
      ${items.length}, ${manifest.matching}, ${String(offsetsSpanned(ranges))},
      (select count(*) from inbox b where b.blocked_by = any (${items.map((row) => row.inboxId)}::uuid[])),
      ${oldestAt}, ${manifest.digest}, ${manifest.keyId},
      ${items.length > recordsLimit}::boolean or clock_timestamp() - ${oldestAt}::timestamptz > ${ageHoursLimit} * interval '1 hour',
      clock_timestamp() + ${replayLimits.previewMinutes} * interval '1 minute')
    on conflict (request_id) do nothing
    returning request_id`;
  if (written.length === 0) return (await readRequest(tx, clinicId, requestId)) ? "MET_ANOTHER" : null;
  await tx.sql`
    insert into replay_items (request_id, position, tenant_group_id, clinic_id, inbox_id, event_id, row_version, row_state, partition, "offset")
    select ${requestId}, position, ${actor.tenantGroupId}, ${clinicId}, inbox_id, event_id, version, state, partition, "offset"
    from unnest(
      ${items.map((row) => row.inboxId)}::uuid[], ${items.map((row) => row.eventId)}::uuid[], ${items.map((row) => row.version)}::int8[],
      ${items.map((row) => row.state)}::text[], ${items.map((row) => row.partition)}::int4[], ${items.map((row) => row.offset)}::int8[]
    ) with ordinality as i (inbox_id, event_id, version, state, partition, "offset", position)`;
  const request = (await readRequest(tx, clinicId, requestId)) as ReplayRequest;
  await appendAuditEntry(tx, actor, {
    act: "replay.previewed",
    role: "APPOINTMENT_REPLAY_OPERATOR",
    clinicId,
    subjectType: "replay",
    subjectId: requestId,
    details: {
      manifest: request.ref,
      digest: request.manifestDigest,
      selection: request.selectionDigest,
      consumer: request.consumer,
      records: request.records,
      range: rangeText(ranges),
    },
  });
  return request;
}

/** A row that is not there is not found; a reason or range without a record is a refusal. */
async function nothingThere(
  tx: Tx,
  deps: ReplayDeps,
  operator: ReplayOperator,
  { clinicId, requestId, selection }: Input,
): Promise<Unbound> {
  if (selection.kind === "row") throw new AppError("not-found");
  const subject = selectionDigest(deps.ring, clinicId, selection);
  const refusal = await recordRefusal(tx, operator, { requestId, subject, subjectVersion: "empty", failed: ["NOTHING_TO_REPLAY"] });
  return { end: "REFUSED", error: new AppError("replay-refused", undefined, { failed: ["NOTHING_TO_REPLAY"], refusal }) };
}

async function overBounds(tx: Tx, operator: ReplayOperator, input: Input, manifest: Manifest, span: bigint): Promise<Unbound> {
  const { requestId } = input;
  const refused = { requestId, subject: manifest.digest, subjectVersion: "bounds", failed: ["OVER_BOUNDS"] };
  const facts = {
    records: manifest.items.length,
    offsets: String(span),
    offsetsMax: replayLimits.offsetsMax,
    fits: input.selection.kind === "range" ? 0 : fitsInto(manifest.items, replayLimits.offsetsMax),
    refusal: await recordRefusal(tx, operator, refused),
  };
  return { end: "REFUSED", error: new AppError("replay-over-bounds", undefined, facts) };
}
