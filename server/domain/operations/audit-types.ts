import { z } from "zod";
import { type AuditResult, auditResultCodes } from "@/server/domain/audit/append-audit-entry";
import { isDate } from "@/server/domain/clinics/local-time";
import { roles } from "@/server/domain/scope/actor";

export const auditActorKinds = ["person", "token", "worker", "command-line"] as const;
export type AuditActorKind = (typeof auditActorKinds)[number];

const date = z.string().refine(isDate);
/** What the page is asked for; everything stands in its address. */
export const auditFilter = z.object({
  acts: z.array(z.string().max(100)).max(20).default([]),
  results: z.array(z.enum(auditResultCodes)).default([]),
  role: z.enum(roles).optional(),
  actorKinds: z.array(z.enum(auditActorKinds)).default([]),
  /** First and last day, in the time zone of the clinic. */
  from: date.optional(),
  until: date.optional(),
  /** Short reference of an actor or appointment, act, number of an entry, or any other identity. */
  search: z.string().trim().max(200).optional(),
  /** Entries of one command, or of one subject. */
  of: z.uuid().optional(),
});
export type AuditFilter = z.infer<typeof auditFilter>;
export const auditCursor = z.object({ at: z.string().max(40), id: z.uuid() });
export type AuditCursor = z.infer<typeof auditCursor>;

/** Clinics of the reader; `withGroup`: acts on the tenant group, such as a sign-in, as well. `zone` is the one in which days begin. */
export type AuditScope = { tenantGroupId: string; clinicIds: readonly string[]; withGroup: boolean; zone: string };

/** One entry: who, in which role, did what, where, with which result and why. No name and no payload. */
export type AuditRow = {
  id: string;
  /** Place in the chain; null while the sealer has not been there. */
  seq: string | null;
  at: string;
  actorKind: AuditActorKind;
  actorRef: string;
  actorRole: string | null;
  act: string;
  result: AuditResult;
  reasonCode: string | null;
  reason: string | null;
  tenantGroupRef: string;
  /** null: an act on the tenant group */
  clinicRef: string | null;
  clinicName: string | null;
  zone: string | null;
  subjectType: string | null;
  subjectId: string | null;
  /** Short reference of the subject, where it has one. */
  subjectRef: string | null;
  commandId: string | null;
  details: Record<string, string | number | boolean | null>;
  /** Of the entry as it stands now. */
  digest: string;
};
export type AuditPage = { rows: AuditRow[]; next: AuditCursor | null; asOf: string };

type Link = { seq: string; hash: string };
export type AuditEntryView = AuditRow & {
  place: {
    sealedAt: string;
    digest: string;
    keyId: string;
    hash: string;
    before: Link | null;
    after: Link | null;
    /** Whether the digest of the entry, computed again, is the sealed one; whether the seal follows from the one before. null: the key is gone */
    digestHolds: boolean | null;
    linkHolds: boolean | null;
  } | null;
  /** Entries of the same command, else of the same subject, oldest first: the first 20 and how many there are. */
  related: { id: string; at: string; actorRef: string; act: string; result: AuditResult }[];
  relatedCount: number;
  relatedOf: string | null;
  asOf: string;
};

export type AuditChainView = {
  sealedThrough: string | null;
  sealedAt: string | null;
  /** Entries of the reader's clinics that wait for their place. */
  unsealed: number;
  oldestUnsealedSeconds: number | null;
  lastCheck: {
    finishedAt: string;
    throughSeq: string;
    checkpoints: number;
    requestedBy: string;
    fault: string | null;
    faultSeq: string | null;
  } | null;
  isChecking: boolean;
  /** Seals of each of the last 24 hours, oldest first. */
  hours: number[];
  asOf: string;
};

/** More is refused, with the number: a narrower filter makes several exports of it. */
export const auditExportMax = 10_000;
/** Counting stops here. */
export const auditCountMax = 10_000;
export const auditExportFormats = ["csv", "json"] as const;
export type AuditExportFormat = (typeof auditExportFormats)[number];
export type AuditExport = { fileName: string; mediaType: string; text: string; entries: number; digest: string };
