import type { DeliveryAction } from "@/server/domain/inbox/next-actions";
import type { DeliveryWork } from "@/server/domain/operations/delivery-work";

/** Buttons of a state, in order; each stays in sight when it is off, with its reason. */
function buttonsOf(id: string, state: string): DeliveryAction[] {
  if (id.startsWith("outbox.")) return state === "PUBLISH_FAILED" ? ["retryPublish", "skipPublish"] : [];
  switch (state) {
    case "QUARANTINED":
      return ["reviewReplay", "keepQuarantined"];
    case "RETRYABLE":
    case "BLOCKED_BY":
    case "PROCESSING":
      return ["scheduleRetry"];
    default:
      return [];
  }
}

/** What the action area shows as buttons, and what stands in its menu: there only what may be done. */
export function offersOf(id: string, state: string, work: DeliveryWork): { shown: DeliveryAction[]; more: DeliveryAction[] } {
  const shown = buttonsOf(id, state).filter((action) => work.status !== "KEPT" || work.actions[action].allowed);
  const rest: DeliveryAction[] = ["assign", "handOver", "releaseSequence", "addNote"];
  return { shown, more: rest.filter((action) => work.actions[action].allowed) };
}
