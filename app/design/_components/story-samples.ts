// The command of the /design page: invented, and always the same.
import type { StoryLine } from "@/server/domain/operations/list-stories";
import type { StoryHead, StoryOpen, StoryRecord } from "@/server/domain/operations/story-types";
import { zone } from "./samples";

const consumers = ["daily-load-v1", "reminder-planner-v1"] as const;
const request = "019c1f00-0000-7000-8000-0000000000aa";

const record = (clock: string, kind: StoryRecord["kind"], what: string, more: Partial<StoryRecord> = {}): StoryRecord => ({
  kind,
  id: `${kind}-${clock}-${more.by ?? ""}`,
  at: `2026-08-18 ${clock}+00`,
  inTransaction: false,
  what,
  reasonCode: null,
  by: null,
  number: null,
  attemptsMax: null,
  durationMs: null,
  partition: null,
  offset: null,
  dueAt: null,
  detail: null,
  rowId: null,
  requestId: null,
  ...more,
});
const decided = (kind: StoryRecord["kind"], what: string, more: Partial<StoryRecord> = {}) =>
  record("11:58:04.190", kind, what, { inTransaction: true, ...more });
const attempt = (clock: string, by: string, what: string, more: Partial<StoryRecord> = {}) =>
  record(clock, "delivery", what, { by, number: 1, attemptsMax: 5, durationMs: 34, partition: 7, offset: "184211", ...more });

export const storyRecords: StoryRecord[] = [
  record("11:58:04.012", "call", "FIRST", { by: "token", number: 201, durationMs: 178 }),
  decided("key", "STORED", { number: 201, detail: "9f2c41d8a1b7b07e" }),
  decided("change", "CREATED", { number: 1, dueAt: "2026-08-18T12:30:00Z", detail: "D-02" }),
  decided("intent", "BOOKED"),
  decided("event", "AppointmentCreated", { number: 1 }),
  decided("audit", "command.createAppointment", { by: "AC-0DHC80", detail: "DONE" }),
  record("11:58:04.655", "published", "PUBLISHED", { partition: 7, offset: "184211", detail: "appointment.v1" }),
  attempt("11:58:04.702", "daily-load-v1", "PROCESSED"),
  attempt("11:58:04.702", "reminder-planner-v1", "RETRYABLE", { reasonCode: "DATABASE_BUSY" }),
  record("11:58:05.310", "sending", "SENT", { by: "recorder", number: 1 }),
  record("11:58:14.020", "call", "REPLAYED", { by: "token", number: 201, durationMs: 4 }),
  attempt("11:58:20.340", "daily-load-v1", "DUPLICATE"),
  attempt("12:00:10.118", "reminder-planner-v1", "QUARANTINED", { number: 5, reasonCode: "ATTEMPTS_EXHAUSTED" }),
  record("12:03:40.002", "replay", "APPROVED", { by: "ST-000417", number: 1, detail: "RJ-008900", requestId: request }),
  attempt("12:03:41.870", "reminder-planner-v1", "PROCESSED", { number: 6, requestId: request }),
  record("12:03:41.920", "replay", "PROCESSED", { detail: "RJ-008900", requestId: request }),
];

export const storyHead: StoryHead = {
  commandId: "019c1f00-0000-7000-8000-000000000001",
  scope: { tenantGroupRef: "TG-014000", clinicRef: "CL-203000", clinicName: "Harbour", zone },
  operation: "createAppointment",
  status: 201,
  appointment: { ref: "APT-1B6N00", version: "1", status: "CONFIRMED" },
  key: null,
  counts: {
    calls: 2,
    replayed: 1,
    changes: 1,
    events: 1,
    published: 1,
    left: 0,
    intents: 1,
    sent: 1,
    suppressed: 0,
    replays: 1,
    records: storyRecords.length,
  },
  consumers: consumers.map((consumer) => ({ consumer, deliveries: 3, duplicates: 1, attempts: 1, state: "PROCESSED" })),
  open: [],
  asOf: "2026-08-18 12:06:22+00",
};

const line = (n: number, more: Partial<StoryLine>): StoryLine => ({
  commandId: `019c1f00-0000-7000-8000-00000000000${n}`,
  operation: "createAppointment",
  status: 201,
  appointmentRef: "APT-7F3K00",
  clinicRef: "CL-203000",
  clinicZone: zone,
  at: "2026-08-18 11:58:04+00",
  calls: 2,
  changes: 1,
  sent: 1,
  open: 0,
  stopped: 0,
  ...more,
});
export const storyLines: StoryLine[] = [
  line(1, { calls: 3, open: 1, stopped: 1 }),
  line(2, { operation: "rescheduleAppointment", open: 2 }),
  line(3, { operation: "cancelAppointment" }),
  line(4, { status: 409, changes: 0, sent: 0 }),
  line(5, { operation: null, status: null, appointmentRef: null, calls: 0 }),
];

const open = (what: StoryOpen["what"], state: string, more: Partial<StoryOpen> = {}): StoryOpen => ({
  what,
  state,
  by: what === "consume" ? "reminder-planner-v1" : null,
  reasonCode: null,
  since: "2026-08-18 12:00:10+00",
  nextAt: null,
  rowId: null,
  ...more,
});
/** A command of which nothing went on by itself to the end: each kind of gap. */
export const gapsHead: StoryHead = {
  ...storyHead,
  open: [
    open("publish", "PENDING"),
    open("publish", "FAILED", { rowId: "outbox.a" }),
    open("take", "PENDING"),
    open("consume", "QUARANTINED", { reasonCode: "ATTEMPTS_EXHAUSTED", rowId: "inbox.a" }),
    open("consume", "RETRYABLE", { reasonCode: "DATABASE_BUSY", nextAt: "2026-08-18 12:07:00+00", rowId: "inbox.b" }),
    open("consume", "BLOCKED_BY", { rowId: "inbox.c" }),
    open("send", "UNKNOWN"),
    open("send", "EXHAUSTED"),
  ],
};
