import { createHash } from "node:crypto";
import { type Db, withTx } from "@/db/client";
import { AppError } from "@/server/app-error";
import type { DigestRing } from "@/server/canonical-hash";
import { appendAuditEntry } from "@/server/domain/audit/append-audit-entry";
import type { PersonActor } from "@/server/domain/scope/actor";
import { countAudit, listAudit } from "./audit-list";
import { auditScope } from "./audit-scope";
import { type AuditExport, type AuditExportFormat, type AuditFilter, type AuditRow, auditExportMax } from "./audit-types";
import type { OperationsScope } from "./types";

/**
 * All entries that a filter finds, as one text: references, codes, instants in UTC and digests. What people typed as reasons stays on the page; the
 * export says only that there is one, and the digest covers it. Its own entry is written first, in the same transaction: without it, no export.
 */
export async function exportAudit(
  db: Db,
  actor: PersonActor,
  scope: OperationsScope,
  wanted: { clinic: string | undefined; filter: AuditFilter; format: AuditExportFormat },
  ring: DigestRing,
): Promise<AuditExport> {
  return withTx(db, actor, async (tx) => {
    const within = await auditScope(tx, scope, wanted.clinic);
    const { count, isMore } = await countAudit(tx, within, wanted.filter);
    if (isMore || count > auditExportMax)
      throw new AppError("request-invalid", `An export holds at most ${auditExportMax} entries: narrow the filter, for instance by day.`);
    const { rows } = await listAudit(tx, within, wanted.filter, null, auditExportMax, ring);
    const text = wanted.format === "csv" ? toCsv(rows) : toJson(rows);
    const digest = createHash("sha256").update(text).digest("hex");
    await appendAuditEntry(tx, actor, {
      act: "audit.exported",
      role: "STAFF",
      clinicId: within.withGroup ? null : (scope.clinicIds[0] ?? null),
      details: { format: wanted.format, entries: rows.length, sha256: digest },
    });
    const mediaType = wanted.format === "csv" ? "text/csv;charset=utf-8" : "application/json";
    return { fileName: `audit-${rows.length}-${digest.slice(0, 8)}.${wanted.format}`, mediaType, text, entries: rows.length, digest };
  });
}

/** The columns of both formats, in their order: an allow-list. */
function exported(row: AuditRow) {
  return {
    at: new Date(row.at.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")).toISOString(),
    entry: row.seq,
    id: row.id,
    tenantGroup: row.tenantGroupRef,
    clinic: row.clinicRef,
    actorKind: row.actorKind,
    actor: row.actorRef,
    role: row.actorRole,
    act: row.act,
    result: row.result,
    reasonCode: row.reasonCode,
    reasonTyped: row.reason !== null,
    subjectType: row.subjectType,
    subject: row.subjectRef ?? row.subjectId,
    commandId: row.commandId,
    details: row.details,
    digest: row.digest,
  };
}

const toJson = (rows: AuditRow[]) => `${JSON.stringify({ entries: rows.map(exported) }, null, 2)}\n`;

const columns = [
  "at",
  "entry",
  "id",
  "tenantGroup",
  "clinic",
  "actorKind",
  "actor",
  "role",
  "act",
  "result",
  "reasonCode",
  "reasonTyped",
  "subjectType",
  "subject",
  "commandId",
  "details",
  "digest",
] as const satisfies (keyof ReturnType<typeof exported>)[];

function toCsv(rows: AuditRow[]): string {
  const lines = rows.map(exported).map((row) => columns.map((name) => cell(row[name])).join(","));
  return `${[columns.join(","), ...lines].join("\r\n")}\r\n`;
}

/** RFC 4180; a cell that a spreadsheet would run as a formula is made text. */
function cell(value: unknown): string {
  const text = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
