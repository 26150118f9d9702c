import { Temporal } from "temporal-polyfill";
import type { OutboxState } from "@/server/domain/outbox/states";
import { type Actor, actorIdentity, hasRole, type Role } from "@/server/domain/scope/actor";
import type { InboxState } from "./states";

/** What STAFF can do with a row of the delivery queue. All but readResult and reviewReplay are commands; those two open a part of the panel. */
export const deliveryActions = [
  "readResult",
  "scheduleRetry",
  "reviewReplay",
  "keepQuarantined",
  "retryPublish",
  "skipPublish",
  "releaseSequence",
  "assign",
  "handOver",
  "addNote",
] as const;
export type DeliveryAction = (typeof deliveryActions)[number];

/** OPEN: waits for a decision. KEPT: decided to stay as it is, until its evidence changes. CLOSED: the row moved on. */
export type TaskStatus = "OPEN" | "KEPT" | "CLOSED";

type Lease = { owner: string; until: Temporal.Instant };
type Shared = { clinicId: string; lease: Lease | null; task: { status: TaskStatus; assigneeId: string | null } | null };

/** What the decision needs of a row: an inbox row, an event that is to be published, or a record of a repeat (a redelivery, a command called again). */
export type ActionRow =
  | (Shared & {
      kind: "inbox";
      state: InboxState;
      nextAttemptAt: Temporal.Instant | null;
      /** The earlier unfinished row that it waits behind; of a stopped row, one that would be passed over with it. */
      blockedBy: string | null;
      /** Later events of the same appointment and consumer that wait behind it. */
      followers: number;
      /** The replay request that has it under way, when there is one. */
      replayRequestId: string | null;
    })
  | (Shared & { kind: "outbox"; state: OutboxState })
  | (Shared & { kind: "delivery" | "command"; state: "DUPLICATE" });

export type WhyNot =
  | "RIGHT_MISSING"
  | "LIVE_LEASE"
  | "TAKE_OVER_DUE"
  | "REPLAY_RUNNING"
  | "BLOCKED"
  | "NOT_DUE"
  | "ALREADY_SETTLED"
  | "NOT_SETTLED"
  | "NEEDS_REPLAY"
  | "NOT_STOPPED"
  | "ALREADY_KEPT"
  | "NOTHING_WAITS"
  | "ALREADY_YOURS"
  | "NOT_YOURS"
  | "OTHER_BOUNDARY";

/** Why an action is off, with what makes the reason readable: the right by name, who holds the lease until when, what is in front, which request. */
export type Obstacle = { why: WhyNot; right?: Role; owner?: string; until?: string; blockedBy?: string; requestId?: string };
export type NextAction = { allowed: true; needsReason: boolean } | ({ allowed: false } & Obstacle);
export type NextActions = Record<DeliveryAction, NextAction>;

/** The right that each action asks for. Never implied by another one. */
export const actionRight: Record<DeliveryAction, Role> = {
  readResult: "STAFF",
  scheduleRetry: "STAFF",
  reviewReplay: "APPOINTMENT_REPLAY_OPERATOR",
  keepQuarantined: "STAFF",
  retryPublish: "APPOINTMENT_REPLAY_OPERATOR",
  skipPublish: "APPOINTMENT_REPLAY_OPERATOR",
  releaseSequence: "APPOINTMENT_REPLAY_OPERATOR",
  assign: "STAFF",
  handOver: "STAFF",
  addNote: "STAFF",
};

/** Actions that are refused without words of the person who acts. */
const reasonNeeded: readonly DeliveryAction[] = [
  "keepQuarantined",
  "retryPublish",
  "skipPublish",
  "releaseSequence",
  "handOver",
  "addNote",
];

/** For every action whether it may be done now, and why not. Draws the buttons and guards the commands: what is offered is what is accepted. */
export function nextActions(row: ActionRow, actor: Actor, now: Temporal.Instant): NextActions {
  const entries = deliveryActions.map((action) => [action, decide(action, row, actor, now)]);
  return Object.fromEntries(entries) as NextActions;
}

/** The one action that a row of the queue shows: the first that may be done, in the order in which it ends the matter. Null: it can only be read. */
export function mainAction(row: ActionRow, actions: NextActions): DeliveryAction | null {
  if (isSettled(row)) return "readResult";
  const order: DeliveryAction[] = ["scheduleRetry", "reviewReplay", "keepQuarantined", "retryPublish"];
  return order.find((action) => actions[action].allowed) ?? null;
}

function decide(action: DeliveryAction, row: ActionRow, actor: Actor, now: Temporal.Instant): NextAction {
  const obstacle = stateObstacle(action, row, actor, now);
  if (obstacle) return { allowed: false, ...obstacle };
  const right = actionRight[action];
  if (!hasRole(actor, right, row.clinicId)) return { allowed: false, why: "RIGHT_MISSING", right };
  return { allowed: true, needsReason: reasonNeeded.includes(action) };
}

function stateObstacle(action: DeliveryAction, row: ActionRow, actor: Actor, now: Temporal.Instant): Obstacle | undefined {
  switch (action) {
    case "readResult":
      return isSettled(row) ? undefined : { why: "NOT_SETTLED" };
    case "addNote":
      return row.kind === "inbox" || row.kind === "outbox" ? undefined : { why: "OTHER_BOUNDARY" };
    case "assign":
      return taskObstacle(row) ?? (isMine(row, actor) ? { why: "ALREADY_YOURS" } : undefined);
    case "handOver":
      return taskObstacle(row) ?? (isMine(row, actor) ? undefined : { why: "NOT_YOURS" });
    case "retryPublish":
    case "skipPublish":
      return publishObstacle(row, now);
    default:
      return inboxObstacle(action, row, now);
  }
}

const isSettled = (row: ActionRow): boolean =>
  row.kind === "delivery" ||
  row.kind === "command" ||
  row.state === "PROCESSED" ||
  row.state === "PUBLISHED" ||
  row.state === "SKIPPED" ||
  row.task?.status === "KEPT";

const isMine = (row: ActionRow, actor: Actor): boolean => actor.kind === "person" && row.task?.assigneeId === actorIdentity(actor).id;

/** A stopped row is a task; there is no other. */
function taskObstacle(row: ActionRow): Obstacle | undefined {
  if (row.state !== "QUARANTINED" && row.state !== "FAILED") return { why: isSettled(row) ? "ALREADY_SETTLED" : "NOT_STOPPED" };
  return row.task?.status === "KEPT" ? { why: "ALREADY_KEPT" } : undefined;
}

function publishObstacle(row: ActionRow, now: Temporal.Instant): Obstacle | undefined {
  if (row.kind !== "outbox") return { why: "OTHER_BOUNDARY" };
  switch (row.state) {
    case "FAILED":
      return undefined;
    case "CLAIMED":
      return leaseObstacle(row.lease, now);
    case "PENDING":
      return { why: "NOT_STOPPED" };
    default:
      return { why: "ALREADY_SETTLED" };
  }
}

type InboxAction = "scheduleRetry" | "reviewReplay" | "keepQuarantined" | "releaseSequence";

function inboxObstacle(action: InboxAction, row: ActionRow, now: Temporal.Instant): Obstacle | undefined {
  if (row.kind === "outbox") return { why: "OTHER_BOUNDARY" };
  if (row.kind !== "inbox" || row.state === "PROCESSED") return { why: "ALREADY_SETTLED" };
  if (row.state === "PROCESSING") return leaseObstacle(row.lease, now);
  // looking at a replay that runs is how its progress is read; everything else would act beside it
  if (row.replayRequestId && action !== "reviewReplay") return { why: "REPLAY_RUNNING", requestId: row.replayRequestId };
  return row.state === "RETRYABLE" ? waitingObstacle(action, row, now) : stoppedObstacle(action, row);
}

type InboxRow = Extract<ActionRow, { kind: "inbox" }>;

function waitingObstacle(action: InboxAction, row: InboxRow, now: Temporal.Instant): Obstacle | undefined {
  if (action === "keepQuarantined" || action === "releaseSequence") return { why: "NOT_STOPPED" };
  if (row.blockedBy) return { why: "BLOCKED", blockedBy: row.blockedBy };
  if (action === "scheduleRetry") return undefined;
  const isDue = row.nextAttemptAt !== null && Temporal.Instant.compare(row.nextAttemptAt, now) <= 0;
  return isDue ? undefined : { why: "NOT_DUE" };
}

function stoppedObstacle(action: InboxAction, row: InboxRow): Obstacle | undefined {
  switch (action) {
    case "scheduleRetry":
      return { why: "NEEDS_REPLAY" };
    case "keepQuarantined":
      return row.task?.status === "KEPT" ? { why: "ALREADY_KEPT" } : undefined;
    case "releaseSequence":
      if (row.blockedBy) return { why: "BLOCKED", blockedBy: row.blockedBy };
      return row.followers > 0 ? undefined : { why: "NOTHING_WAITS" };
    case "reviewReplay": // one that runs may be looked at; another one would have to skip the row
      return row.blockedBy && !row.replayRequestId ? { why: "BLOCKED", blockedBy: row.blockedBy } : undefined;
  }
}

/** A worker that lives is never acted beside; one that died is taken over by the scheduler, which counts the attempt. */
function leaseObstacle(lease: Lease | null, now: Temporal.Instant): Obstacle {
  if (!lease || Temporal.Instant.compare(lease.until, now) <= 0) return { why: "TAKE_OVER_DUE" };
  return { why: "LIVE_LEASE", owner: lease.owner, until: lease.until.toString() };
}
