"use client";

import { isServer, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink, httpLink, splitLink } from "@trpc/client";
import { createTRPCContext } from "@trpc/tanstack-react-query";
import { type ReactNode, useState } from "react";
import superjson from "superjson";
import { makeQueryClient } from "@/app/_trpc/query-client";
import type { AppRouter } from "@/server/trpc/root";

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

let browserQueryClient: ReturnType<typeof makeQueryClient> | undefined;

function queryClientOfThisSide() {
  if (isServer) return makeQueryClient();
  browserQueryClient ??= makeQueryClient();
  return browserQueryClient;
}

/** Reads share a request; a command travels alone, so that its answer (or its loss) is its own. */
export function TrpcProvider({ children }: { children: ReactNode }) {
  const queryClient = queryClientOfThisSide();
  const [client] = useState(() => {
    // the header is one that another site's form cannot send
    const options = { url: "/api/trpc", transformer: superjson, headers: { "x-trpc-source": "web" } };
    return createTRPCClient<AppRouter>({
      links: [splitLink({ condition: (op) => op.type === "query", true: httpBatchLink(options), false: httpLink(options) })],
    });
  });
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={client} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
