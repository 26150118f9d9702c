import "server-only";

import { dehydrate, HydrationBoundary } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { cache, type ReactNode } from "react";
import { makeQueryClient } from "@/app/_trpc/query-client";
import { createContext } from "@/server/trpc/create-context";
import { appRouter } from "@/server/trpc/root";

export const getQueryClient = cache(makeQueryClient);
export const trpc = createTRPCOptionsProxy({ ctx: cache(() => createContext()), router: appRouter, queryClient: getQueryClient });

export function HydrateClient({ children }: { children: ReactNode }) {
  return <HydrationBoundary state={dehydrate(getQueryClient())}>{children}</HydrationBoundary>;
}
