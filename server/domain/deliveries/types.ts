import { z } from "zod";
import type { CommandCall } from "@/server/domain/idempotency/types";
import type { DeliveryAction, NextAction } from "@/server/domain/inbox/next-actions";
import type { PersonActor } from "@/server/domain/scope/actor";

/** What STAFF decide about: an inbox row, or an event of the outbox. */
export type RowKind = "inbox" | "outbox";

/** A row as it was read, with the versions that the decision was made on; a task that is not there yet has version 0. */
export const seenRow = z.object({
  id: z.string().regex(/^(inbox|outbox)\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
  version: z.string().regex(/^\d{1,18}$/),
  taskVersion: z.string().regex(/^\d{1,18}$/),
});
export type SeenRow = z.infer<typeof seenRow>;

/** Words of the person who acts. They stay with the row for ever, and in the audit. */
export const words = z.string().trim().min(3).max(500);

export const handOver = z.object({ to: z.string().min(4).max(40), note: words });
export type HandOver = z.infer<typeof handOver>;
/** `at`: ISO instant; left out: now. */
export const scheduleRetry = z.object({ at: z.iso.datetime({ offset: true }).nullish() });
export type ScheduleRetry = z.infer<typeof scheduleRetry>;

/** One act of a person on one row, as an edge hands it on. */
export type ActCall = CommandCall & { actor: PersonActor; row: SeenRow };

/** A name under which the act is fingerprinted, called, audited. */
export const operationOf = (action: DeliveryAction): string => `delivery.${action}`;

/** Why an act is off, in a sentence for people who read the answer of the API or the command line; screens have their own words. */
export const whyNotSentence: Record<Extract<NextAction, { allowed: false }>["why"], string> = {
  RIGHT_MISSING: "A right is missing.",
  LIVE_LEASE: "A worker holds it.",
  TAKE_OVER_DUE: "Its worker died; the scheduler takes it over.",
  REPLAY_RUNNING: "A replay has it under way.",
  BLOCKED: "It waits behind an earlier event.",
  NOT_DUE: "Its next attempt is not due yet.",
  ALREADY_SETTLED: "It is settled: its effect cannot be had twice.",
  NOT_SETTLED: "It has no result yet.",
  NEEDS_REPLAY: "It stopped: only an approved replay runs it again.",
  NOT_STOPPED: "It goes on by itself.",
  ALREADY_KEPT: "It is kept already.",
  NOTHING_WAITS: "Nothing waits behind it.",
  ALREADY_YOURS: "It is yours already.",
  NOT_YOURS: "Only who has it can hand it over.",
  OTHER_BOUNDARY: "That is done at another boundary.",
};
