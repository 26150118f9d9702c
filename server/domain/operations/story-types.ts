import { z } from "zod";

/** Whose identity a record carries: its column on the page of a command. */
const storyKinds = [
  "call",
  "key",
  "change",
  "intent",
  "event",
  "audit",
  "published",
  "left",
  "delivery",
  "sending",
  "reminder",
  "replay",
] as const;
export type StoryKind = (typeof storyKinds)[number];

/** One stored record of a command. No name, no note, no body and no payload: references, codes, counters and instants. */
export type StoryRecord = {
  kind: StoryKind;
  id: string;
  at: string;
  /** Written by the one transaction in which the command was decided. */
  inTransaction: boolean;
  /** Outcome of a call, delivery or sending; change of the visit; kind of an intent; type of an event; act of an audit entry; step or outcome of a replay. */
  what: string;
  reasonCode: string | null;
  /** Logical consumer, provider, kind of the caller, or short reference of who acted. */
  by: string | null;
  /** Status of a call, number of an attempt, version of a change. */
  number: number | null;
  attemptsMax: number | null;
  durationMs: number | null;
  partition: number | null;
  offset: string | null;
  /** Start of the visit after a change, or when a reminder is due. */
  dueAt: string | null;
  /** Fingerprint of a key, doctor of a change, topic of a publication, result of an audit entry, request id of a call, reference of a replay. */
  detail: string | null;
  /** Row of the delivery queue that holds the evidence. */
  rowId: string | null;
  /** Replay under which an attempt was made, or of which this is a step. */
  requestId: string | null;
};

export type StoryConsumer = { consumer: string; deliveries: number; duplicates: number; attempts: number; state: string };
/** Work that is not finished: what, since when, and when it goes on by itself (null: not by itself, or at once). */
export type StoryOpen = {
  what: "publish" | "take" | "consume" | "send";
  by: string | null;
  state: string;
  reasonCode: string | null;
  since: string;
  nextAt: string | null;
  rowId: string | null;
};

export type StoryHead = {
  commandId: string;
  scope: { tenantGroupRef: string; clinicRef: string; clinicName: string; zone: string };
  operation: string | null;
  /** Status of the stored answer; null when the command came without a call (an import). */
  status: number | null;
  appointment: { ref: string; version: string; status: string } | null;
  /** null once the retention of the key is over. */
  key: { value: string; fingerprint: string; expiresAt: string } | null;
  counts: {
    calls: number;
    replayed: number;
    changes: number;
    events: number;
    published: number;
    /** Events whose row has left the outbox after its retention: what they were and where they lie is kept, their content is not. */
    left: number;
    intents: number;
    sent: number;
    suppressed: number;
    /** Approved replays in which a delivery of this command was an item. */
    replays: number;
    /** Every record that the page shows. */
    records: number;
  };
  consumers: StoryConsumer[];
  open: StoryOpen[];
  asOf: string;
};

export const storyCursor = z.object({ at: z.string().max(40), rank: z.int().min(0).max(99), id: z.string().max(60) });
export type StoryCursor = z.infer<typeof storyCursor>;
export type StoryPart = { records: StoryRecord[]; next: StoryCursor | null };
