"use client";

import { TRPCClientError } from "@trpc/client";
import { useCallback, useRef, useState } from "react";
import { useTRPCClient } from "@/app/_trpc/client";
import type { PlanningAction } from "@/server/domain/planning/next-actions";
import type { AppRouter } from "@/server/trpc/root";

/** An act as it was decided; `part`: the visits of a part. */
export type PlanAct = { clinicId: string; runId: string; action: PlanningAction; part?: string[] };
export type PlanAnswer = { status: number; body: Record<string, unknown> & { code?: string } };
export type SendPhase = "idle" | "sending" | "unanswered";

const answerTimeoutMs = 30_000;

/**
 * Sends one command at a time under a key that is made once for it: a second Enter while it is on its way is nothing, and a try after a lost answer goes
 * out under the same key. `onAnswer` is the only sign of success, and the server gives it.
 */
export function useKeyedCall<Call>(
  send: (key: string, call: Call) => Promise<PlanAnswer>,
  onAnswer: (answer: PlanAnswer, call: Call) => void,
) {
  const [phase, setPhase] = useState<SendPhase>("idle");
  const open = useRef<{ key: string; call: Call } | null>(null);
  const latest = useRef({ send, onAnswer });
  latest.current = { send, onAnswer };

  const transmit = useCallback(async () => {
    const sent = open.current;
    if (!sent) return;
    setPhase("sending");
    try {
      finish(await latest.current.send(sent.key, sent.call));
    } catch (error) {
      const problem = error instanceof TRPCClientError ? (error as TRPCClientError<AppRouter>).data?.problem : undefined;
      if (problem && !problem.retryable) finish({ status: problem.status, body: problem });
      else setPhase("unanswered");
    }
    function finish(answer: PlanAnswer) {
      open.current = null;
      setPhase("idle");
      latest.current.onAnswer(answer, (sent as { call: Call }).call);
    }
  }, []);
  const start = useCallback(
    (call: Call) => {
      if (open.current) return;
      open.current = { key: crypto.randomUUID(), call };
      void transmit();
    },
    [transmit],
  );
  return { phase, send: start, retry: () => void transmit() };
}

/** The acts of STAFF on one run. */
export function usePlanAct(onAnswer: (answer: PlanAnswer, act: PlanAct) => void) {
  const client = useTRPCClient();
  return useKeyedCall<PlanAct>((key, { clinicId, runId, action, part }) => {
    const options = { signal: AbortSignal.timeout(answerTimeoutMs) };
    const on = { clinicId, key, runId };
    const { planning } = client;
    switch (action) {
      case "apply":
        return planning.applyPlan.mutate(on, options);
      case "applyPart":
        return planning.applyPart.mutate({ ...on, change: { appointmentIds: part ?? [] } }, options);
      default:
        return planning[action].mutate(on, options);
    }
  }, onAnswer);
}
