import type { OfferedRunEvidence } from "@/server/domain/operations/planning-types";
import type { PlanningAction } from "@/server/domain/planning/next-actions";

/** A missing answer leaves the plan in review: it is not applied meanwhile. Calculating it anew is safe at any time. */
export const isOffInReview = (isReview: boolean, action: PlanningAction): boolean =>
  isReview && (action === "apply" || action === "applyPart");

/** What stands there at all, by state; each stays in sight when it is off. A refused plan is never offered again. */
export function buttonsOf(evidence: OfferedRunEvidence): PlanningAction[] {
  const { row } = evidence;
  switch (row.runState) {
    case "REQUESTED":
    case "CALCULATING":
      return ["cancel"];
    case "CALCULATED":
      return isOutdated(evidence) ? ["recalculate", "discard"] : ["apply", "applyPart", "discard"];
    case "RETRYABLE":
      return isOutdated(evidence) ? ["recalculate", "discard"] : ["apply", "recalculate", "discard"];
    case "STALE_REJECTED":
      return ["recalculate"];
    default:
      return [];
  }
}

/** What can be seen from here already: the fence would refuse it. It is not offered then, though only the fence decides. */
export const isOutdated = ({ row, sources }: OfferedRunEvidence): boolean =>
  row.group !== "SETTLED" && (row.differs.length > 0 || (sources?.behindCount ?? 0) > 0);
