import type { notificationStates } from "@/db/schema/notifications";
import type { IntentKind } from "./intent-kind";
import type { ProviderReason } from "./provider";

export type IntentState = (typeof notificationStates)[number];

/** Why a message is not sent although its change was made. Codes, stored in reason_code. */
export type SuppressReason =
  | "VISIT_CANCELLED"
  | "VISIT_STARTED"
  | "SUPERSEDED"
  | "AWAITING_NEW_TIME"
  | "NOT_CONFIRMED"
  | "NOT_CANCELLED"
  | "NO_ADDRESS";

/** Why a worker gave a message back unsent, as if it had not been taken. */
export type GiveBackReason = "CIRCUIT_OPEN" | "STOPPING" | "LEASE_SHORT";

/** Everything that reason_code of an intent and of its deliveries may say. */
export type NotificationReason = SuppressReason | GiveBackReason | ProviderReason | "LEASE_EXPIRED" | "RECIPIENT_FLOOD" | "RENDER_FAILED";

/** What is true of the visit at the moment of sending. */
export type VisitNow = {
  status: string;
  /** startsAt <= now, by the database clock */
  hasBegun: boolean;
  /** A later change of this visit has a message of its own. */
  hasLaterIntent: boolean;
};

/**
 * Whether a message is still true, decided when it is sent and never left to a provider to un-send (H-C1). Null: send it.
 * A version alone does not make a message untrue: the text is rendered from the visit as it stands, so a note or an undone check-in in between
 * takes nothing from it. A later message, another status or a visit that has begun does.
 */
export function suppressReason(kind: IntentKind, visit: VisitNow): SuppressReason | null {
  if (visit.hasLaterIntent) return visit.status === "CANCELLED" ? "VISIT_CANCELLED" : "SUPERSEDED";
  if (kind === "CANCELLED") {
    if (visit.status !== "CANCELLED") return "NOT_CANCELLED";
    return visit.hasBegun ? "VISIT_STARTED" : null;
  }
  switch (visit.status) {
    case "CANCELLED":
      return "VISIT_CANCELLED";
    case "PENDING_RESCHEDULE":
      return "AWAITING_NEW_TIME";
    case "REQUESTED":
      if (visit.hasBegun) return "VISIT_STARTED";
      return kind === "REQUESTED" || kind === "MOVED" ? null : "NOT_CONFIRMED";
    case "CONFIRMED":
      if (visit.hasBegun) return "VISIT_STARTED";
      return kind === "REQUESTED" ? "SUPERSEDED" : null;
    default: // CHECKED_IN, IN_PROGRESS, COMPLETED, NO_SHOW: the patient came, or the time has passed
      return "VISIT_STARTED";
  }
}

/** Attempts that reached a provider, or died on the way, before a message is given up. */
export const attemptsMax = 8;
const retryBaseMs = 5_000;
const retryCapMs = 15 * 60_000;

/**
 * Wait before the next attempt, full jitter: anything from 0 to 5 s × 2ⁿ⁻¹, at most 15 min. Servers that greylist take the second attempt after
 * one to five minutes (RFC 6647 §4.5), and eight attempts reach past that.
 */
export const retryDelayMs = (attempt: number, random: () => number = Math.random): number =>
  Math.round(random() * Math.min(retryBaseMs * 2 ** Math.max(0, attempt - 1), retryCapMs));

/**
 * For this long after an intent was written an outage of the provider costs it no attempt; afterwards each one counts, so that a provider that
 * never comes back ends in EXHAUSTED and not in a queue that grows for ever. A visit that begins meanwhile ends it sooner (VISIT_STARTED).
 */
export const outageGraceMs = 24 * 3_600_000;
