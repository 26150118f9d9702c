"use client";

import { TRPCClientError } from "@trpc/client";
import { useCallback, useRef, useState } from "react";
import { useTRPCClient } from "@/app/_trpc/client";
import type { SeenRow } from "@/server/domain/deliveries/types";
import type { DeliveryAction } from "@/server/domain/inbox/next-actions";
import type { AppRouter } from "@/server/trpc/root";

/** An act as it was decided: the row with the versions that were on the screen, and what the form says. */
export type Act = {
  clinicId: string;
  row: SeenRow;
  action: Exclude<DeliveryAction, "readResult" | "reviewReplay">;
  change: { reason?: string; text?: string; note?: string; to?: string; at?: string | null };
};
export type ActAnswer = { status: number; body: Record<string, unknown> & { code?: string } };

type Phase = "idle" | "sending" | "unanswered";
const answerTimeoutMs = 10_000;

/**
 * Sends one act at a time under a key that is made once for it: a second Enter while it is on its way is nothing, and a try after a lost answer goes
 * out under the same key. `onAnswer` is the only sign of success, and the server gives it.
 */
export function useAct(onAnswer: (answer: ActAnswer, act: Act) => void) {
  const client = useTRPCClient();
  const [phase, setPhase] = useState<Phase>("idle");
  const open = useRef<{ key: string; act: Act } | null>(null);
  const answered = useRef(onAnswer);
  answered.current = onAnswer;

  const transmit = useCallback(async () => {
    const sent = open.current;
    if (!sent) return;
    setPhase("sending");
    try {
      finish(await mutate(client, sent.key, sent.act));
    } catch (error) {
      const problem = error instanceof TRPCClientError ? (error as TRPCClientError<AppRouter>).data?.problem : undefined;
      if (problem && !problem.retryable) finish({ status: problem.status, body: problem });
      else setPhase("unanswered");
    }
    function finish(answer: ActAnswer) {
      open.current = null;
      setPhase("idle");
      answered.current(answer, (sent as { act: Act }).act);
    }
  }, [client]);

  const send = useCallback(
    (act: Act) => {
      if (open.current) return;
      open.current = { key: crypto.randomUUID(), act };
      void transmit();
    },
    [transmit],
  );

  return { phase, send, retry: () => void transmit() };
}

function mutate(client: ReturnType<typeof useTRPCClient>, key: string, { clinicId, row, action, change }: Act): Promise<ActAnswer> {
  const options = { signal: AbortSignal.timeout(answerTimeoutMs) };
  const on = { clinicId, key, row };
  const acts = client.delivery.acts;
  switch (action) {
    case "assign":
      return acts.assign.mutate(on, options);
    case "handOver":
      return acts.handOver.mutate({ ...on, change: { to: change.to ?? "", note: change.note ?? "" } }, options);
    case "addNote":
      return acts.addNote.mutate({ ...on, change: { text: change.text ?? "" } }, options);
    case "scheduleRetry":
      return acts.scheduleRetry.mutate({ ...on, change: { at: change.at ?? null } }, options);
    default:
      return acts[action].mutate({ ...on, change: { reason: change.reason ?? "" } }, options);
  }
}
