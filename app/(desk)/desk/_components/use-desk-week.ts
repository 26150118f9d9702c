"use client";

import { useQuery } from "@tanstack/react-query";
import type { LiveState } from "@/app/_components/live-indicator";
import { useOnline } from "@/app/_components/use-online";
import { useTRPC } from "@/app/_trpc/client";

/**
 * The week of a clinic, read again every 15 s while it is `shown`, and how far it can be trusted: as `useDeskDay` says it of the day. The week before
 * stays in sight while another is on its way.
 */
export function useDeskWeek(clinicId: string, date: string, shown: boolean) {
  const trpc = useTRPC();
  const online = useOnline();
  const query = useQuery(
    trpc.desk.week.queryOptions({ clinicId, date }, { enabled: shown, refetchInterval: 15_000, placeholderData: (before) => before }),
  );
  const live: LiveState = !online ? "offline" : query.isError ? "reconnecting" : "live";
  return {
    week: query.data,
    isPending: query.isPending,
    live,
    asOf: query.data?.asOf,
    /** undefined while another week is on its way */
    readAtMs: query.isPlaceholderData || !query.data ? undefined : query.dataUpdatedAt,
    readAgain: () => query.refetch(),
  };
}
export type WeekReading = ReturnType<typeof useDeskWeek>;
