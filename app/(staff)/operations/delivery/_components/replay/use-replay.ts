"use client";

import { useQueryClient } from "@tanstack/react-query";
import { TRPCClientError } from "@trpc/client";
import type { inferRouterOutputs } from "@trpc/server";
import { useCallback, useRef, useState } from "react";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import type { ReplayBounds, ReplaySelection } from "@/server/domain/replay/types";
import type { AppRouter } from "@/server/trpc/root";

export type Preview = inferRouterOutputs<AppRouter>["replay"]["preview"];
export type Job = inferRouterOutputs<AppRouter>["replay"]["jobs"][number];
export type JobOfRow = NonNullable<inferRouterOutputs<AppRouter>["replay"]["ofRow"]>;
/** A problem as the server said it, or the loss of its answer. */
export type Problem = {
  code: string;
  failed?: string[];
  refusal?: string;
  requestId?: string;
  jobRef?: string;
  offsets?: string;
  fits?: number;
};
type Phase = "idle" | "reading" | "sending";

export const noAnswer: Problem = { code: "no-answer" };
const answerTimeoutMs = 20_000;

export function problemOf(error: unknown): Problem {
  const problem = error instanceof TRPCClientError ? (error as TRPCClientError<AppRouter>).data?.problem : undefined;
  return problem ? (problem as Problem) : noAnswer;
}

/**
 * One replay as it is decided on a screen: the request id is made before the first send and stays for every try, so that a second Enter, a second click and a
 * try after a lost answer are the same request. `another()` makes the next id: for other records, or a fresh look.
 */
export function useReplay(clinicId: string) {
  const client = useTRPCClient();
  const trpc = useTRPC();
  const queries = useQueryClient();
  const requestId = useRef<string | null>(null);
  const busy = useRef(false);
  const subject = useRef(0);
  const [phase, setPhase] = useState<Phase>("idle");
  const [preview, setPreview] = useState<Preview | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);

  const once = useCallback(
    async (during: Phase, work: (isStill: () => boolean) => Promise<void>) => {
      if (busy.current) return; // Enter and click share this path, and it is one at a time
      busy.current = true;
      const asked = subject.current;
      const isStill = () => asked === subject.current; // an answer about the row before is no answer about this one
      setPhase(during);
      setProblem(null);
      try {
        await work(isStill);
      } catch (error) {
        if (isStill()) setProblem(problemOf(error));
      } finally {
        if (isStill()) {
          busy.current = false;
          setPhase("idle");
        }
        queries.invalidateQueries(trpc.replay.pathFilter());
      }
    },
    [queries, trpc],
  );

  const read = (selection: ReplaySelection, freshId = false) =>
    once("reading", async (isStill) => {
      if (freshId || requestId.current === null) requestId.current = crypto.randomUUID();
      const answer = await client.replay.preview.mutate({ clinicId, requestId: requestId.current, selection }, timeLimit());
      if (isStill()) setPreview(answer);
    });

  const approve = (reason: string, bounds: ReplayBounds) =>
    once("sending", async (isStill) => {
      const request = preview?.request;
      if (!request) return;
      const on = { clinicId, requestId: request.requestId, digest: request.manifestDigest };
      const { jobRef, state } = await client.replay.approve.mutate({ ...on, bounds, reason }, timeLimit());
      if (isStill()) setPreview((now) => now && { ...now, request: { ...request, jobRef, state } });
    });

  return {
    phase,
    preview,
    problem,
    requestId: requestId.current,
    read,
    approve,
    /** For another row: what is on its way belongs to the one before. */
    reset: () => {
      subject.current += 1;
      busy.current = false;
      requestId.current = null;
      setPhase("idle");
      setPreview(null);
      setProblem(null);
    },
  };
}

const timeLimit = () => ({ signal: AbortSignal.timeout(answerTimeoutMs) });
