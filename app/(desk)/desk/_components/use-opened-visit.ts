"use client";

import type { DeskDay } from "@/server/domain/operations/desk-day";
import { useKnownVisit } from "./use-known-visit";
import { useSeenVersion } from "./use-seen-version";
import { useVisitHistory } from "./visit-history";

/** The visit of the drawer: as the day shows it, the version that the person has seen of it, and its changes. */
export function useOpenedVisit(clinicId: string, day: DeskDay | undefined, id: string | null) {
  const { visit, isListed } = useKnownVisit(day, id);
  const seen = useSeenVersion(visit);
  const history = useVisitHistory(clinicId, id ?? undefined, `${visit?.version} ${isListed}`);
  return { visit, isListed, seen, history, latest: history.data?.at(-1) };
}
export type OpenedVisit = ReturnType<typeof useOpenedVisit>;
