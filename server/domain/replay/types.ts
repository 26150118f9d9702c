import { z } from "zod";
import type { Db } from "@/db/client";
import type { replayOutcomes, replayStates } from "@/db/schema/replay";
import type { DigestRing } from "@/server/canonical-hash";
import type { EventLog } from "@/server/domain/event-log/port";
import { isUuid } from "@/server/ids";

export type ReplayState = (typeof replayStates)[number];
export type ReplayOutcome = (typeof replayOutcomes)[number];
export type ReplayCounts = Record<ReplayOutcome, number>;

export const replayLimits = {
  recordsMax: 10_000,
  offsetsMax: 100_000,
  secondsMax: 300,
  ratePerSecondMax: 50,
  canaryMax: 50,
  reasonMin: 8,
  reasonMax: 500,
  /** How long a preview may be approved, and an approval be used. */
  previewMinutes: 15,
  approvalMinutes: 30,
} as const;

/** The id that the client makes before its first send. One identity has one spelling. */
export const replayRequestId = z.string().refine(isUuid, "must be a UUID in its canonical lower-case form");

/** Identities and codes, never words: what is bound to a request is kept in its record and in the audit, whether or not a row has it. */
const consumer = z
  .string()
  .max(100)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be the id of a consumer");
const reasonCode = z
  .string()
  .max(100)
  .regex(/^[A-Z][A-Z0-9_]*$/, "must be a reason code");
const offset = z.string().regex(/^\d{1,18}$/, "must be an offset");
const recordsMax = z.number().int().min(1).max(replayLimits.recordsMax);

/** What is to be replayed. Consumer and range are never left to a filter: an empty one would mean everything. */
export const replaySelection = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("row"), consumer, inboxId: z.string().refine(isUuid), rowVersion: z.string().regex(/^\d{1,18}$/) }),
  /** The records that stopped for one reason; the first ones in the order of the log when there are more than `recordsMax`. */
  z.object({ kind: z.literal("group"), consumer, reasonCode, recordsMax }),
  z.object({
    kind: z.literal("range"),
    consumer,
    recordsMax,
    ranges: z
      .array(z.object({ partition: z.number().int().min(0).max(9_999), first: offset, last: offset }))
      .min(1)
      .max(64)
      .refine((ranges) => ranges.every(({ first, last }) => BigInt(first) <= BigInt(last)), "a range ends before it begins")
      .refine((ranges) => new Set(ranges.map(({ partition }) => partition)).size === ranges.length, "a partition is named twice"),
  }),
]);
export type ReplaySelection = z.infer<typeof replaySelection>;

export const replayBounds = z.object({
  canarySize: z.number().int().min(1).max(replayLimits.canaryMax),
  ratePerSecond: z.number().int().min(1).max(replayLimits.ratePerSecondMax),
  maxSeconds: z.number().int().min(1).max(replayLimits.secondsMax),
  /** The job stops by itself when more than this share of what it tried did not succeed. */
  stopSharePercent: z.number().int().min(0).max(100),
});
export type ReplayBounds = z.infer<typeof replayBounds>;

/** Names what was mended: a release, a setting. Kept for good. */
export const replayReason = z.string().trim().min(replayLimits.reasonMin).max(replayLimits.reasonMax);

export const manifestDigest = z.string().regex(/^[0-9a-f]{64}$/, "must be the digest of a manifest");

/** What previews and approvals need of their process. Only the log's marks are asked for, never its records. */
export type ReplayDeps = { db: Db; eventLog: Pick<EventLog, "logId" | "watermarks">; ring: DigestRing };

export type PartitionRange = { partition: number; first: string; last: string; logEnd: string | null; records: number };
export type OffsetRange = { partition: number; first: string; last: string };
export type PartitionOffset = { partition: number; offset: string };
