"use client";

import { useEffect, useRef } from "react";
import { addDays, dateIn } from "@/app/_components/time";
import type { HistoryEntry } from "@/server/domain/appointments/history";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import type { DeskCommand } from "./pending-command";

type Opened = { book?: boolean; move?: string; visit?: string };

/** A command that a reload left open brings its drawer back. */
export function useReopened(pending: DeskCommand | undefined, open: (drawer: Opened) => unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each command, not for each setter
  useEffect(() => {
    if (pending?.operation === "book") open({ book: true });
    else if (pending?.operation === "reschedule") open({ move: pending.appointmentId });
    else if (pending) open({ visit: pending.appointmentId });
  }, [pending?.operation]);
}

type Looked = { visit: string | null; day: DeskDay | undefined; latest: HistoryEntry | undefined };

/** A link that names a visit and not its day leads to the day: also to the one before, on which the shift of a visit after midnight began. */
export function useDayOfVisit({ visit, day, latest }: Looked, go: (date: string) => unknown): void {
  const tried = useRef(new Set<string>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each visit and day, not for each setter
  useEffect(() => {
    if (!visit || !day || !latest || latest.toStatus === "CANCELLED") return;
    const own = dateIn(latest.toStartsAt, day.clinic.zone);
    const next = day.date === own ? addDays(own, -1) : own;
    tried.current.add(`${visit} ${day.date}`);
    if (tried.current.has(`${visit} ${next}`)) return;
    go(next);
  }, [visit, day?.date, latest]);
}
