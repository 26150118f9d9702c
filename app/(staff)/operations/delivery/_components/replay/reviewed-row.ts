import type { DeliveryEvidence } from "@/server/domain/operations/delivery-evidence";
import type { ReviewedRow } from "./replay-review";

/** What a replay of this row would name; null when the evidence is of no row of the inbox. */
export function reviewedRow({ id, kind, consumer, rowVersion, scope }: DeliveryEvidence): ReviewedRow | null {
  if (kind !== "inbox" || consumer === null || rowVersion === null) return null;
  return { inboxId: id.slice("inbox.".length), consumer, version: rowVersion, clinicRef: scope.clinicRef };
}
