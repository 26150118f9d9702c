export const intentKinds = ["BOOKED", "REQUESTED", "CONFIRMED", "MOVED", "CANCELLED", "REMINDER"] as const;
export type IntentKind = (typeof intentKinds)[number];

/** What the kind is decided from; the payload of an appointment event fits. Statuses and changes as in appointment_history. */
export type TellableChange = {
  change: string;
  fromStatus: string | null;
  toStatus: string;
  /** DESK, API, IMPORT or WORKER; an import tells nobody. */
  source?: string;
};

/**
 * Which message a change of a visit asks for, or null when the patient is told nothing.
 * Check-in, start, completion, no-show and every undo happen in front of the patient or concern the desk only. PENDING_RESCHEDULE tells nobody
 * either: there is no new time to name yet, and the move that ends it does tell.
 */
export function intentKindFor({ change, fromStatus, toStatus, source }: TellableChange): IntentKind | null {
  if (source === "IMPORT") return null;
  switch (change) {
    case "CREATED":
      return toStatus === "REQUESTED" ? "REQUESTED" : "BOOKED";
    case "RESCHEDULED":
      return "MOVED";
    case "CANCELLED":
      return "CANCELLED";
    default:
      if (toStatus === "CANCELLED") return "CANCELLED";
      return fromStatus === "REQUESTED" && toStatus === "CONFIRMED" ? "CONFIRMED" : null;
  }
}
