import type { outboxStates } from "@/db/schema/outbox";

export type OutboxState = (typeof outboxStates)[number];

/** README.md draws it. CLAIMED → CLAIMED is a take-over after the lease ran out; FAILED ends by a decision of STAFF only. */
export const outboxMoves: Record<OutboxState, readonly OutboxState[]> = {
  PENDING: ["CLAIMED"],
  CLAIMED: ["PUBLISHED", "PENDING", "FAILED", "CLAIMED"],
  FAILED: ["PENDING", "SKIPPED"],
  PUBLISHED: [],
  SKIPPED: [],
};

/** Why an entry can never be published as it is. Stored as reason_code. */
export type PoisonReason =
  | "TOO_LARGE"
  | "UNKNOWN_TOPIC"
  | "UNSUPPORTED_SCHEMA"
  | "INVALID_PAYLOAD"
  | "INVALID_ENVELOPE"
  | "PARTITION_KEY_MISMATCH";
