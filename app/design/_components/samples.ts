// What the /design page shows: invented, and always the same, so that two screenshots are alike.
import type { HistoryEntry } from "@/server/domain/appointments/history";
import type { NextAction } from "@/server/domain/appointments/next-actions";
import { type AppointmentAction, type AppointmentState, appointmentActions } from "@/server/domain/appointments/states";
import type { Blocker } from "@/server/domain/clinics/types";
import type { DeskBlock, DeskVisit } from "@/server/domain/operations/desk-day";
import type { OfferedRow } from "@/server/domain/operations/queue-actions";
import type { QueueGroup } from "@/server/domain/operations/types";
import type { RoleHealth, WorkerHealth } from "@/server/domain/operations/worker-health";
import type { PatientView } from "@/server/domain/patients/types";

export const zone = "Europe/Berlin";
/** 18 Aug 2026, 14:06:22 in Berlin. */
export const at = Date.UTC(2026, 7, 18, 12, 6, 22);
const day = (clock: string) => new Date(`2026-08-18T${clock}:00+02:00`).toISOString();

const off: NextAction = { allowed: false, why: "NOT_ITS_DAY" };
const noActions = Object.fromEntries(appointmentActions.map((action) => [action, off])) as Record<AppointmentAction, NextAction>;

export const visitOf = (status: AppointmentState): DeskVisit => ({
  id: status,
  ref: "APT-R2F900",
  version: "2",
  status,
  startsAt: day("14:00"),
  endsAt: day("14:40"),
  doctorId: "d1",
  treatment: "Consultation",
  treatmentId: "t1",
  source: "DESK",
  patient: { id: "p1", ref: "PT-8YB500", name: status === "REQUESTED" ? null : "Jonas Albrecht" },
  equipment: [],
  actions: noActions,
});

export const blocks: DeskBlock[] = (
  [
    ["OUTSIDE_HOURS", "08:00", "09:00", null],
    ["BREAK", "09:30", "10:00", "Break"],
    ["ABSENT", "10:30", "11:30", "Training"],
    ["OUT_OF_SHIFT", "12:00", "13:00", null],
    ["OUTAGE", "13:30", "14:00", "Laser"],
    ["CLOSED", "14:30", "15:30", "Renovation"],
    ["HOLIDAY", "16:00", "17:00", "Assumption"],
  ] as const
).map(([kind, from, until, label]) => ({ columnId: null, kind, from: day(from), until: day(until), label }));
export const blocksFrom = Date.parse(day("08:00"));

const person: PatientView = {
  id: "p1",
  ref: "PT-6RM100",
  name: "Marta Lindqvist",
  phone: "+49 172 555 0142",
  email: "marta@example.org",
  birthDate: "1984-03-12",
  language: "en",
  lastVisit: "2026-06-03",
};
export const people = {
  marked: person,
  sameAsAbove: { ...person, id: "p2", ref: "PT-X04D00", name: "Märta Lindkvist", phone: null, lastVisit: null },
  never: { ...person, id: "p3", ref: "PT-K9A200", birthDate: null, lastVisit: null },
};

export const blockers: (Blocker & { visit: { patient: string; treatment: string } | null })[] = [
  {
    code: "DOCTOR_TAKEN",
    subject: { kind: "DOCTOR", ref: "D-01", name: "D-01" },
    label: null,
    from: day("20:40"),
    until: day("21:20"),
    appointmentRef: "APT-1B6N00",
    visit: { patient: "Jonas Albrecht", treatment: "Consultation" },
  },
  {
    code: "BREAK",
    subject: { kind: "DOCTOR", ref: "D-02", name: "D-02" },
    label: "Break",
    from: day("21:00"),
    until: day("21:30"),
    appointmentRef: null,
    visit: null,
  },
];

export const change: HistoryEntry = {
  version: "3",
  change: "STATUS_CHANGED",
  at: day("14:06"),
  fromStatus: "CONFIRMED",
  toStatus: "CHECKED_IN",
  fromStartsAt: null,
  toStartsAt: day("15:30"),
  fromDoctorId: null,
  toDoctorId: "d1",
  reasonCode: null,
  note: null,
  actorRef: "ST-000031",
  actorKind: "person",
  source: "DESK",
  commandId: "019c1f00-0000-7000-8000-000000000001",
};

const row = (group: QueueGroup, state: OfferedRow["state"], more: Partial<OfferedRow> = {}): OfferedRow => ({
  id: `${state}`,
  kind: "inbox",
  group,
  state,
  appointmentRef: "APT-7F3K00",
  clinicRef: "CL-203000",
  clinicZone: zone,
  eventType: "AppointmentCreated",
  changes: 1,
  consumer: "daily-load-v1",
  reasonCode: null,
  attempts: 1,
  attemptsMax: 5,
  calls: null,
  nextAttemptAt: null,
  leaseOwner: null,
  leaseUntil: null,
  blockedBy: null,
  version: "1",
  taskVersion: "0",
  assigneeId: null,
  assigneeRef: null,
  kept: null,
  replayRequestId: null,
  main: null,
  isMine: false,
  canAssign: group === "DECISION",
  canKeep: state === "QUARANTINED",
  at: day("13:54"),
  ...more,
});
export const queue: OfferedRow[] = [
  row("DECISION", "QUARANTINED", { attempts: 5, reasonCode: "ATTEMPTS_EXHAUSTED", main: "keepQuarantined" }),
  row("DECISION", "PUBLISH_FAILED", { kind: "outbox", consumer: null, reasonCode: "TOO_LARGE", main: "retryPublish" }),
  row("WAITING", "RETRYABLE", { attempts: 2, reasonCode: "DATABASE_BUSY", nextAttemptAt: day("14:07"), main: "scheduleRetry" }),
  row("WAITING", "BLOCKED_BY", { reasonCode: "BLOCKED_BY", blockedBy: "b" }),
  row("WAITING", "PROCESSING", { leaseUntil: day("14:07") }),
  row("SETTLED", "PROCESSED", { main: "readResult" }),
  row("SETTLED", "DUPLICATE", { kind: "command", consumer: null, attempts: null, attemptsMax: null, calls: 3, main: "readResult" }),
];

const role = (name: RoleHealth["role"], state: RoleHealth["state"], outage: string | null = null): RoleHealth => ({
  role: name,
  state,
  processes: state === "RUNNING" ? 1 : 0,
  lastBeatAt: state === "NEVER" ? null : day("14:06"),
  silentSeconds: state === "NEVER" ? null : 4,
  outage,
});
export const health: WorkerHealth & { lag: never[] } = {
  roles: [
    role("appointment-consumers", "RUNNING"),
    role("retry-scheduler", "PAUSED", "LOG_AWAY"),
    role("notification-dispatch", "STOPPED"),
    role("outbox-relay", "SILENT"),
    role("notification-reminders", "NEVER"),
  ],
  toPublish: { count: 3, oldestSeconds: 42 },
  toConsume: { count: 0, oldestSeconds: null },
  toSend: { count: 1, oldestSeconds: 130 },
  lag: [],
  asOf: day("14:06"),
};
