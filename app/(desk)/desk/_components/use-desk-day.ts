"use client";

import { useQuery } from "@tanstack/react-query";
import type { LiveState } from "@/app/_components/live-indicator";
import { useIsStale } from "@/app/_components/not-read";
import { useOnline } from "@/app/_components/use-online";
import { useTRPC } from "@/app/_trpc/client";

/** The day of a clinic, read again every 5 s, and how far it can be trusted. The day before stays in sight while another is on its way. */
export function useDeskDay(clinicId: string, date: string | null) {
  const trpc = useTRPC();
  const online = useOnline();
  const query = useQuery(trpc.desk.day.queryOptions({ clinicId, date }, { refetchInterval: 5_000, placeholderData: (before) => before }));
  const readAtMs = query.isPlaceholderData ? undefined : query.dataUpdatedAt; // the day before has no moment here
  const isStale = useIsStale(readAtMs);
  const live: LiveState = !online ? "offline" : query.isError ? "reconnecting" : "live";
  return {
    day: query.data,
    readAtMs,
    isReading: query.isFetching,
    /** False: nothing may be decided by what is shown. */
    isCurrent: online && !isStale,
    live,
    readAgain: () => query.refetch(),
  };
}
