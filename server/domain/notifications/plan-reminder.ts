/**
 * Hours before the start at which a patient is reminded. A day leaves time to call and hand the place to somebody else,
 * and is short enough to be remembered. Until a clinic's policy says otherwise.
 */
export const reminderLeadHours = 24;

/** The visit as it is now, with the moment its reminder would be due. */
export type ReminderVisit = { version: bigint; status: string; dueAt: string; isTooLate: boolean };
export type PlannedReminder = { state: string; dueAt: string };

export type ReminderPlan =
  | { next: "PLAN" }
  | { next: "CANCEL"; reason: "VISIT_CANCELLED" | "AWAITING_NEW_TIME" | "NOT_CONFIRMED" | "VISIT_STARTED" | "MOVED_TOO_NEAR" }
  | {
      next: "NOTHING";
      reason: "SUPERSEDED" | "NOT_CONFIRMED" | "NO_REMINDER" | "TOO_LATE" | "ALREADY_PLANNED" | "ALREADY_SENT" | "ALREADY_CANCELLED";
    }
  | { next: "QUARANTINE"; reason: "VISIT_UNKNOWN" | "VERSION_UNKNOWN" };

/** Why an event planned no reminder, or took one back. */
export type ReminderReason = Extract<ReminderPlan, { reason: string }>["reason"];

/**
 * What an event means for the reminder of its visit. Pure. An old event meets the world of today: only the event of the present version plans,
 * and it plans from the visit as it stands, so a months-old event that comes again reminds nobody.
 */
export function planReminder(eventVersion: bigint, visit: ReminderVisit | undefined, reminder: PlannedReminder | undefined): ReminderPlan {
  if (!visit) return { next: "QUARANTINE", reason: "VISIT_UNKNOWN" };
  if (eventVersion > visit.version) return { next: "QUARANTINE", reason: "VERSION_UNKNOWN" }; // the log knows more than the database: a restore
  if (eventVersion < visit.version) return { next: "NOTHING", reason: "SUPERSEDED" };
  const withdrawn = whyNone(visit.status);
  if (withdrawn) {
    if (reminder?.state === "PLANNED") return { next: "CANCEL", reason: withdrawn };
    if (reminder?.state === "SENT") return { next: "NOTHING", reason: "ALREADY_SENT" };
    if (reminder?.state === "CANCELLED") return { next: "NOTHING", reason: "ALREADY_CANCELLED" };
    return { next: "NOTHING", reason: withdrawn === "NOT_CONFIRMED" ? "NOT_CONFIRMED" : "NO_REMINDER" };
  }
  const isSameTime = reminder?.dueAt === visit.dueAt;
  if (isSameTime && reminder.state === "SENT") return { next: "NOTHING", reason: "ALREADY_SENT" };
  if (isSameTime && reminder.state === "PLANNED") return { next: "NOTHING", reason: "ALREADY_PLANNED" };
  if (!visit.isTooLate) return { next: "PLAN" };
  return reminder?.state === "PLANNED" ? { next: "CANCEL", reason: "MOVED_TOO_NEAR" } : { next: "NOTHING", reason: "TOO_LATE" };
}

function whyNone(status: string) {
  switch (status) {
    case "CONFIRMED":
      return null;
    case "REQUESTED":
      return "NOT_CONFIRMED";
    case "PENDING_RESCHEDULE":
      return "AWAITING_NEW_TIME";
    case "CANCELLED":
      return "VISIT_CANCELLED";
    default:
      return "VISIT_STARTED";
  }
}
