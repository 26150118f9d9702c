"use client";

import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useLivePages } from "@/app/_components/list/use-live-pages";
import { useTRPC } from "@/app/_trpc/client";
import type { auditInput } from "./audit-url";

const everyMs = 5_000;

/** Pages of the audit that stand still while somebody reads; known entries get their place in the chain where they are. */
export function useLiveAudit(input: ReturnType<typeof auditInput>, live: boolean) {
  const trpc = useTRPC();
  const paged = { getNextPageParam: (page: { next: { at: string; id: string } | null }) => page.next ?? undefined, initialCursor: null };
  const pages = useInfiniteQuery({
    ...trpc.audit.list.infiniteQueryOptions(input, paged),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const head = useQuery({ ...trpc.audit.list.queryOptions(input), refetchInterval: live ? everyMs : false, staleTime: 0 });
  const { rows, newRows } = useLivePages(pages, head.data, (fresh) => fresh);
  return { pages, head, rows, newRows };
}
