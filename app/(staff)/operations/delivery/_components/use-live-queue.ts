"use client";

import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useLivePages } from "@/app/_components/list/use-live-pages";
import { useTRPC } from "@/app/_trpc/client";
import type { QueueFilter } from "@/server/domain/operations/types";

const everyMs = 5_000;

/** Pages of the queue that stay where they are, with the first page read again beside them every 5 s. */
export function useLiveQueue(input: { clinic?: string; filter: QueueFilter }, live: boolean) {
  const trpc = useTRPC();
  const pages = useInfiniteQuery({
    ...trpc.delivery.queue.infiniteQueryOptions(input, { getNextPageParam: (page) => page.next ?? undefined, initialCursor: null }),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const head = useQuery({
    ...trpc.delivery.head.queryOptions(input),
    initialData: () => (pages.isPlaceholderData ? undefined : pages.data?.pages[0]), // what the page was drawn with is the first of its readings
    initialDataUpdatedAt: pages.dataUpdatedAt,
    refetchInterval: live ? everyMs : false,
    staleTime: 0,
  });
  const { rows, newRows } = useLivePages(pages, head.data, (fresh, shown) => ({ ...fresh, group: shown.group }));
  return { pages, head, rows, newRows };
}
