import { z } from "zod";

/** Clinics that a reader may see here; row-level security holds the same line in the database. */
export type OperationsScope = { tenantGroupId: string; clinicIds: readonly string[] };

/** What the tiles count and filter by. BLOCKED_BY and FENCED are a reason and an outcome, so they are not among them. */
export const tileStates = ["PROCESSED", "DUPLICATE", "RETRYABLE", "QUARANTINED"] as const;
export type TileState = (typeof tileStates)[number];

export const queueGroups = ["DECISION", "WAITING", "SETTLED"] as const;
export type QueueGroup = (typeof queueGroups)[number];

/** Time ranges of the queue: what stopped, changed or settled since then. Without one: all that is open, and what settled in the last 24 hours. */
export const queueRanges = ["1h", "24h", "7d", "all"] as const;
export type QueueRange = (typeof queueRanges)[number];

export const queueFilter = z.object({
  states: z.array(z.enum(tileStates)).default([]),
  /** Only rows that a person must decide. */
  decisionOnly: z.boolean().default(false),
  /** Only rows that the reader has taken on. */
  mine: z.boolean().default(false),
  consumer: z.string().max(100).optional(),
  /** Code of the reason why a row stopped or waits. */
  reason: z.string().max(100).optional(),
  since: z.enum(queueRanges).optional(),
  /** Any identity: short reference, appointment, event, command, fingerprint, key or request. */
  search: z.string().trim().max(200).optional(),
});
export type QueueFilter = z.infer<typeof queueFilter>;

/** A row of the queue is a stored record: an inbox row, a redelivery, a command called again, or an event that could not be published. */
export const rowKinds = ["inbox", "delivery", "command", "outbox"] as const;
export type RowKind = (typeof rowKinds)[number];
export const rowId = z.string().regex(/^(inbox|delivery|command|outbox)\.[0-9a-f-]{36}$/);

export type QueueState = TileState | "PROCESSING" | "BLOCKED_BY" | "PUBLISH_FAILED";

export type QueueRow = {
  id: string;
  kind: RowKind;
  group: QueueGroup;
  state: QueueState;
  /** Short reference of the appointment; null when the event is of something else. */
  appointmentRef: string | null;
  clinicRef: string;
  clinicZone: string;
  eventType: string | null;
  /** How often the command of this row changed the appointment: its rows of history. */
  changes: number;
  consumer: string | null;
  reasonCode: string | null;
  attempts: number | null;
  attemptsMax: number | null;
  /** Calls under the key, of a command row. */
  calls: number | null;
  nextAttemptAt: string | null;
  leaseUntil: string | null;
  blockedBy: string | null;
  /** Versions that an act on the row names; null on records of a repeat, which nobody decides about. */
  version: string | null;
  taskVersion: string | null;
  assigneeId: string | null;
  assigneeRef: string | null;
  /** Who decided to keep it as it is, and why. */
  kept: { byRef: string; reason: string } | null;
  replayRequestId: string | null;
  leaseOwner: string | null;
  /** Instant that sorts the row in its group. */
  at: string;
};

export const queueCursor = z.object({ group: z.enum(queueGroups), at: z.string().max(40), id: z.string().max(60) });
export type QueueCursor = z.infer<typeof queueCursor>;
export type QueuePage = { rows: QueueRow[]; next: QueueCursor | null; asOf: string };
