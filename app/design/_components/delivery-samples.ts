// The queue and the workers of the /design page.
import { deliveryActions, type NextAction, type NextActions } from "@/server/domain/inbox/next-actions";
import type { DeliveryWork, WorkNote } from "@/server/domain/operations/delivery-work";
import type { OfferedRow } from "@/server/domain/operations/queue-actions";
import type { QueueGroup } from "@/server/domain/operations/types";
import type { RoleHealth, WorkerHealth } from "@/server/domain/operations/worker-health";
import { day, zone } from "./samples";

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

const note = (n: number, act: WorkNote["act"], more: Partial<WorkNote> = {}): WorkNote => ({
  id: String(n),
  at: day(`14:0${n}`),
  act,
  text: null,
  authorRef: "ST-000417",
  toRef: null,
  forAt: null,
  ...more,
});
const barred: NextAction = { allowed: false, why: "RIGHT_MISSING", right: "APPOINTMENT_REPLAY_OPERATOR" };
/** What was done about a stopped row; its reader may keep it, and may not review its replay. */
export const work: DeliveryWork = {
  actions: {
    ...(Object.fromEntries(deliveryActions.map((action) => [action, { allowed: true, needsReason: false }])) as NextActions),
    reviewReplay: barred,
    releaseSequence: barred,
  },
  version: "4",
  taskVersion: "2",
  status: "OPEN",
  assigneeRef: "ST-000417",
  followers: 2,
  replayRequestId: null,
  notes: [
    note(1, "ASSIGNED"),
    note(2, "HANDED_OVER", { toRef: "ST-000031" }),
    note(3, "RETRY_SCHEDULED", { forAt: day("14:30") }),
    note(4, "NOTED", { text: "The reader of daily-load-v1 does not know the new field yet." }),
    note(5, "KEPT", { text: "Waits for release 12." }),
  ],
};
