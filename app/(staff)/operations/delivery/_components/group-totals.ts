import type { DeliveryCounts } from "@/server/domain/operations/delivery-counts";
import type { QueueGroup } from "@/server/domain/operations/types";
import type { DeliveryUrl } from "./delivery-url";

export type GroupTotals = Record<QueueGroup, number | null>;
type Filters = Pick<DeliveryUrl, "view" | "state" | "consumer" | "reason" | "since" | "q">;
const none: GroupTotals = { DECISION: null, WAITING: null, SETTLED: null };

/** How many rows each group of the queue has. Null: not known, because the counts are of the whole queue and a filter shows a part of it. */
export function groupTotals(counts: DeliveryCounts | undefined, { view, state, consumer, reason, since, q }: Filters): GroupTotals {
  const isPart = state.length > 0 || consumer !== null || reason !== null || since !== null || q.trim() !== "";
  if (!counts || isPart) return none;
  if (view === "mine") return { ...none, DECISION: counts.mine };
  if (view === "decision") return { ...none, DECISION: counts.needsDecision };
  return { DECISION: counts.needsDecision, WAITING: counts.waiting, SETTLED: counts.settled };
}

/** How many rows the queue has; null when that is not known. */
export function queueTotal(totals: GroupTotals, view: DeliveryUrl["view"]): number | null {
  const wanted = view === "all" ? [totals.DECISION, totals.WAITING, totals.SETTLED] : [totals.DECISION];
  return wanted.reduce((sum, n) => (sum === null || n === null ? null : sum + n), 0);
}
