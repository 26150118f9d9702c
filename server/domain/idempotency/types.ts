import type { Db } from "@/db/client";
import type { DigestRing } from "@/server/canonical-hash";
import type { AuditEntry } from "@/server/domain/audit/append-audit-entry";
import type { Actor } from "@/server/domain/scope/actor";
import type { FingerprintInput } from "./fingerprint";

/** What a command needs of the process; made once from the configuration. */
export type CommandDeps = {
  db: Db;
  digestKeys: DigestRing;
  /** Hours that a key and its answer are kept, at least 24. */
  retentionHours: number;
  /** How long a call waits for the one that holds its key, milliseconds. */
  waitMs: number;
  /** Status of a key used for another command: 409 (unless configured), or the 422 of the IETF draft. */
  reusedStatus?: number;
  /** Off only in the test that shows the lock to be no authority: the unique key is. */
  advisoryLock?: boolean;
};

export type Command = {
  actor: Actor & { tenantGroupId: string };
  clinicId: string;
  key: string;
  /** Of this one call; made at the edge, for logs and the list of calls. */
  requestId: string;
  fingerprint: FingerprintInput;
  /** What the command changes, when it exists already. */
  subject?: { type: string; id: string };
};

/** One call of a command, as an edge hands it on: authenticated, authorised for the clinic, parsed. */
export type CommandCall = {
  actor: Actor & { tenantGroupId: string };
  clinicId: string;
  key: string;
  requestId: string;
  /** "POST" over HTTP, "MUTATION" over tRPC */
  method: string;
  /** The input as parsed, before defaults; the clinic is left out, it is part of the key's scope. */
  body: unknown;
  /** W3C trace context: kept with the event, so that consumers can link to the command. */
  traceparent?: string | undefined;
};

/** What the work of a command ends with. The body is stored under the key: ids, versions, states and times only, never a person. */
export type Answer = {
  status: 200 | 201;
  body: Record<string, unknown>;
  location?: string;
  etag?: string;
  appointmentId?: string;
  audit: AuditEntry;
};

/** What every call under a key gets. `body` is text: a replay is the same bytes. */
export type CommandAnswer = {
  status: number;
  body: string;
  location: string | null;
  etag: string | null;
  commandId: string;
  /** True only when a stored answer was used. */
  replayed: boolean;
  /** ISO instant after which the key is a new command. */
  expiresAt: string;
};
