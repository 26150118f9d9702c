import type { MessageKey } from "@/app/_i18n/messages";
import type { DailyLoadReason } from "@/server/domain/appointments/daily-load";
import type { RuntimeReason } from "@/server/domain/inbox/states";
import type { ReminderReason } from "@/server/domain/notifications/plan-reminder";
import type { NotificationReason } from "@/server/domain/notifications/states";
import type { PoisonReason } from "@/server/domain/outbox/states";
import type { TriggerReason } from "@/server/domain/planning/planning-trigger";
import type { ReplayReason } from "@/server/domain/replay/states";

/** Every code that is stored as a reason. What a mail server said is its own word. */
type KnownReason =
  | RuntimeReason
  | PoisonReason
  | ReplayReason
  | DailyLoadReason
  | ReminderReason
  | TriggerReason
  | Exclude<NotificationReason, `SMTP_${number}`>
  | "DEMO_FAULT";

/** A new reason does not compile until it has a sentence, and a sentence that one language lacks is no MessageKey. */
const known: Record<KnownReason, MessageKey> = {
  BLOCKED_BY: "reason.BLOCKED_BY",
  UNBLOCKED: "reason.UNBLOCKED",
  RELEASED: "reason.RELEASED",
  GAP: "reason.GAP",
  SEQUENCE_REGRESSION: "reason.SEQUENCE_REGRESSION",
  HANDLER_FAILED: "reason.HANDLER_FAILED",
  DATABASE_BUSY: "reason.DATABASE_BUSY",
  LEASE_EXPIRED: "reason.LEASE_EXPIRED",
  LIVE_LEASE: "reason.LIVE_LEASE",
  ATTEMPTS_EXHAUSTED: "reason.ATTEMPTS_EXHAUSTED",
  IDENTITY_CONFLICT: "reason.IDENTITY_CONFLICT",
  EXPIRED: "reason.EXPIRED",
  MISMATCH: "reason.MISMATCH",
  OTHER_LOG: "reason.OTHER_LOG",
  UNSUPPORTED_SCHEMA: "reason.UNSUPPORTED_SCHEMA",
  INVALID_PAYLOAD: "reason.INVALID_PAYLOAD",
  PARTITION_KEY_MISMATCH: "reason.PARTITION_KEY_MISMATCH",
  TOO_LARGE: "reason.TOO_LARGE",
  UNKNOWN_TOPIC: "reason.UNKNOWN_TOPIC",
  INVALID_ENVELOPE: "reason.INVALID_ENVELOPE",
  VISIT_CANCELLED: "reason.VISIT_CANCELLED",
  VISIT_STARTED: "reason.VISIT_STARTED",
  AWAITING_NEW_TIME: "reason.AWAITING_NEW_TIME",
  NOT_CANCELLED: "reason.NOT_CANCELLED",
  NO_ADDRESS: "reason.NO_ADDRESS",
  NO_PLAN: "reason.NO_PLAN",
  ALREADY_COUNTED: "reason.ALREADY_COUNTED",
  DEMO_FAULT: "reason.DEMO_FAULT",
  VISIT_UNKNOWN: "reason.VISIT_UNKNOWN",
  VERSION_UNKNOWN: "reason.VERSION_UNKNOWN",
  SUPERSEDED: "reason.SUPERSEDED",
  NOT_CONFIRMED: "reason.NOT_CONFIRMED",
  NO_REMINDER: "reason.NO_REMINDER",
  TOO_LATE: "reason.TOO_LATE",
  ALREADY_PLANNED: "reason.ALREADY_PLANNED",
  ALREADY_SENT: "reason.ALREADY_SENT",
  ALREADY_CANCELLED: "reason.ALREADY_CANCELLED",
  ADDRESS_INVALID: "reason.ADDRESS_INVALID",
  CALL_TIMEOUT: "reason.CALL_TIMEOUT",
  CIRCUIT_OPEN: "reason.CIRCUIT_OPEN",
  CONNECTION_FAILED: "reason.CONNECTION_FAILED",
  CONNECTION_LOST_AFTER_DATA: "reason.CONNECTION_LOST_AFTER_DATA",
  CONNECTION_TIMEOUT: "reason.CONNECTION_TIMEOUT",
  LEASE_SHORT: "reason.LEASE_SHORT",
  MAILBOX_UNAVAILABLE: "reason.MAILBOX_UNAVAILABLE",
  MESSAGE_INVALID: "reason.MESSAGE_INVALID",
  PROVIDER_FAILED: "reason.PROVIDER_FAILED",
  RECIPIENT_FLOOD: "reason.RECIPIENT_FLOOD",
  RENDER_FAILED: "reason.RENDER_FAILED",
  SENDER_REFUSED: "reason.SENDER_REFUSED",
  SERVER_NOT_FOUND: "reason.SERVER_NOT_FOUND",
  SERVICE_CLOSING: "reason.SERVICE_CLOSING",
  SERVICE_REFUSED: "reason.SERVICE_REFUSED",
  SIGN_IN_REFUSED: "reason.SIGN_IN_REFUSED",
  STOPPING: "reason.STOPPING",
  CANARY_FAILED: "reason.CANARY_FAILED",
  STOP_SHARE: "reason.STOP_SHARE",
  MAX_TIME: "reason.MAX_TIME",
  CANCELLED: "reason.CANCELLED",
  ROLE_REMOVED: "reason.ROLE_REMOVED",
  APPROVAL_EXPIRED: "reason.APPROVAL_EXPIRED",
  LOG_CHANGED: "reason.LOG_CHANGED",
  MANIFEST_CHANGED: "reason.MANIFEST_CHANGED",
  CHANGED: "reason.CHANGED",
  NOT_DUE: "reason.NOT_DUE",
  OFFSET_MISSING: "reason.OFFSET_MISSING",
  MOVED_TOO_NEAR: "reason.MOVED_TOO_NEAR",
};

/** Sentence for each stored reason code. A code that is not ours (SMTP_550, one of a later release) is shown as the code, never guessed at. */
export const reasonWords: Record<string, MessageKey> = known;
