"use client";

import { useState } from "react";
import type { DeskDay, DeskVisit } from "@/server/domain/operations/desk-day";

/**
 * The visit that is open, also after it left the shown day: cancelled or moved by somebody else, or the calendar was turned to another date while it is
 * being moved. `isListed` says whether the shown day still has it.
 */
export function useKnownVisit(day: DeskDay | undefined, id: string | null): { visit: DeskVisit | undefined; isListed: boolean } {
  const [kept, setKept] = useState<DeskVisit | null>(null);
  const listed = id ? day?.visits.find((visit) => visit.id === id) : undefined;
  if (listed && listed !== kept) setKept(listed);
  if (listed) return { visit: listed, isListed: true };
  return { visit: kept && kept.id === id ? kept : undefined, isListed: false };
}
