"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import { createTRPCOptionsProxy, type TRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { type ReactNode, useState } from "react";
import { TRPCProvider } from "@/app/_trpc/client";
import type { AppRouter } from "@/server/trpc/root";

export type Seed = (client: QueryClient, trpc: TRPCOptionsProxy<AppRouter>) => void;

/** Every question stays open, or none is answered. */
const mute =
  (fails: boolean): TRPCLink<AppRouter> =>
  () =>
  () =>
    observable((observer) => {
      if (fails) observer.error(TRPCClientError.from(new Error("not asked")));
    });

/** Parts that read something, without a server: what they ask for is given here (`seed`), stays on its way, or `fails`. */
export function QuietQueries({ seed, fails = false, children }: { seed?: Seed; fails?: boolean; children: ReactNode }) {
  const [{ queryClient, trpcClient }] = useState(() => {
    const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } });
    const trpcClient = createTRPCClient<AppRouter>({ links: [mute(fails)] });
    seed?.(queryClient, createTRPCOptionsProxy<AppRouter>({ client: trpcClient, queryClient }));
    return { queryClient, trpcClient };
  });
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
