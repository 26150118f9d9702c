"use client";

import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useLivePages } from "@/app/_components/list/use-live-pages";
import { useTRPC } from "@/app/_trpc/client";
import type { PlanningInput } from "./planning-url";

const everyMs = 5_000;
/** A calculation in sight is followed more closely: its progress is what is watched. */
const whileRunningMs = 1_500;

/** Pages of the queue that stay where they are, with the first page read again beside them. */
export function useLivePlanning(input: PlanningInput, live: boolean) {
  const trpc = useTRPC();
  const pages = useInfiniteQuery({
    ...trpc.planningViews.queue.infiniteQueryOptions(input, { getNextPageParam: (page) => page.next ?? undefined, initialCursor: null }),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const head = useQuery({
    ...trpc.planningViews.head.queryOptions(input),
    refetchInterval: (query) =>
      live && (query.state.data?.rows.some((row) => row.state === "CALCULATING" || row.state === "REQUESTED") ? whileRunningMs : everyMs),
    staleTime: 0,
  });
  const { rows, newRows } = useLivePages(pages, head.data, (fresh, shown) => ({ ...fresh, group: shown.group }));
  return { pages, head, rows, newRows };
}
