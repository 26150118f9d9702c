import { createHash } from "node:crypto";
import { type Db, type Tx, withTx } from "@/db/client";
import { AppError } from "@/server/app-error";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import type { PersonActor } from "@/server/domain/scope/actor";
import { commandStory, storyRecords } from "./command-story";
import type { StoryCursor, StoryHead, StoryRecord } from "./story-types";
import type { OperationsScope } from "./types";

/** More is refused, with the number. */
export const storyExportMax = 10_000;
const partSize = 1_000;

export type StoryExport = { fileName: string; mediaType: string; text: string; records: number; digest: string };

/**
 * The evidence of one command as JSON: what was counted and every record of it, references, codes and instants in UTC; no payload. Its own entry is
 * written in the same transaction: without it, no export. Null when the command is not in the reader's clinics.
 */
export async function exportStory(db: Db, actor: PersonActor, scope: OperationsScope, commandId: string): Promise<StoryExport | null> {
  return withTx(db, actor, async (tx) => {
    const head = await commandStory(tx, scope, commandId);
    if (!head) return null;
    if (head.counts.records > storyExportMax) throw new AppError("request-invalid", `An export holds at most ${storyExportMax} records.`);
    const records = await allRecords(tx, scope, commandId);
    const text = `${JSON.stringify({ ...exportedHead(head), records: records.map(exportedRecord) }, null, 2)}\n`;
    const digest = createHash("sha256").update(text).digest("hex");
    const [clinic] = await tx.sql<{ id: string }[]>`
      select id from clinics where tenant_group_id = ${scope.tenantGroupId} and ref = ${head.scope.clinicRef}`;
    await appendAuditEntry(tx, actor, {
      act: "story.exported",
      role: "STAFF",
      clinicId: clinic?.id ?? null,
      subjectType: "command",
      subjectId: commandId,
      details: { records: records.length, sha256: digest },
    });
    const fileName = `story-${head.appointment?.ref ?? commandId.slice(0, 8)}-${digest.slice(0, 8)}.json`;
    return { fileName, mediaType: "application/json", text, records: records.length, digest };
  });
}

async function allRecords(tx: Tx, scope: OperationsScope, commandId: string): Promise<StoryRecord[]> {
  const records: StoryRecord[] = [];
  let after: StoryCursor | null = null;
  do {
    const part: Awaited<ReturnType<typeof storyRecords>> = await storyRecords(tx, scope, commandId, after, partSize);
    records.push(...part.records);
    after = part.next;
  } while (after);
  return records;
}

const utc = (instant: string) => new Date(instant.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")).toISOString();

/** An allow-list, as is the one of a record: a new column of the page does not leave by itself. */
function exportedHead({ commandId, scope, operation, status, appointment, key, counts, consumers, open, asOf }: StoryHead) {
  return {
    commandId,
    tenantGroup: scope.tenantGroupRef,
    clinic: scope.clinicRef,
    operation,
    status,
    appointment,
    idempotencyKey: key && { value: key.value, fingerprint: key.fingerprint, keptUntil: utc(key.expiresAt) },
    counts,
    consumers,
    notFinished: open.map(({ what, by, state, reasonCode, since }) => ({ what, by, state, reasonCode, since: utc(since) })),
    readAt: utc(asOf),
  };
}

function exportedRecord(record: StoryRecord) {
  const {
    kind,
    id,
    at,
    inTransaction,
    what,
    reasonCode,
    by,
    number,
    attemptsMax,
    durationMs,
    partition,
    offset,
    dueAt,
    detail,
    requestId,
  } = record;
  return {
    at: utc(at),
    kind,
    id,
    inTransaction,
    what,
    reasonCode,
    by,
    number,
    attemptsMax,
    durationMs,
    partition,
    offset,
    dueAt: dueAt && utc(dueAt),
    detail,
    requestId,
  };
}
