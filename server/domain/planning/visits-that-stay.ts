import { brokenFact, type WhyMove } from "./may-move";
import type { PlanningSnapshot, VisitFact } from "./snapshot/types";

/** A visit that needs another place, or was chosen for one, and that the plan leaves where it is; `why`: what stands against its place, or the choice. */
export type StayingVisit = { visit: VisitFact; why: WhyMove };

type Found = {
  /** Ids of those that stay and break a fact where they are. */
  broken: readonly string[];
  reasons: ReadonlyMap<string, WhyMove>;
  chosenIds: readonly string[];
};

/**
 * What a plan does not cover although somebody waits for it: visits that break a fact and are pinned, under way or kept in this run; that wait for a time
 * and are pinned; that were chosen and may not move; or that hold another length than their treatment gives. They are reported, never hidden, so that a
 * person gives them a place by hand. In the order of their starts.
 */
export function visitsThatStay(snapshot: PlanningSnapshot, movedIds: ReadonlySet<string>, found: Found): StayingVisit[] {
  const [broken, chosen] = [new Set(found.broken), new Set(found.chosenIds)];
  const plain = (code: WhyMove["code"]): WhyMove => ({ code, subjectRef: null, from: null, until: null });
  const whyOf = (visit: VisitFact): WhyMove | null => {
    const reason = found.reasons.get(visit.id) ?? (broken.has(visit.id) ? brokenFact(snapshot.facts, visit) : null);
    if (reason && reason.code !== "REQUESTED") return reason; // one that was only asked for stands well where it is
    if (visit.status === "PENDING_RESCHEDULE") return plain("PENDING_RESCHEDULE");
    return chosen.has(visit.id) ? plain("CHOSEN") : null;
  };
  return snapshot.visits
    .filter(({ id }) => !movedIds.has(id))
    .flatMap((visit) => {
      const why = whyOf(visit);
      return why ? [{ visit, why }] : [];
    })
    .sort((a, b) => Date.parse(a.visit.startsAt) - Date.parse(b.visit.startsAt) || (a.visit.id < b.visit.id ? -1 : 1));
}
