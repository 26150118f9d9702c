"use client";

import { TRPCClientError } from "@trpc/client";
import { useCallback, useRef, useState } from "react";
import { useTRPCClient } from "@/app/_trpc/client";
import type { DrillName, PageDrill } from "@/server/domain/drills/catalog";
import type { ByPeople } from "@/server/domain/drills/record-by-people";
import type { AppRouter } from "@/server/trpc/root";

export type DrillCommand =
  | { act: "start"; clinicId: string; drill: PageDrill }
  | { act: "stop"; clinicId: string; run: string }
  | { act: "record"; clinicId: string; drill: DrillName; change: ByPeople };
export type DrillAnswer = { status: number; body: Record<string, unknown> };

const answerTimeoutMs = 10_000;

/** Sends one command at a time under a key made once for it; a try after a lost answer goes out under the same key. The server gives the only sign of success. */
export function useDrillCommand(onAnswer: (answer: DrillAnswer, command: DrillCommand) => void) {
  const client = useTRPCClient();
  const [phase, setPhase] = useState<"idle" | "sending" | "unanswered">("idle");
  const open = useRef<{ key: string; command: DrillCommand } | null>(null);
  const answered = useRef(onAnswer);
  answered.current = onAnswer;

  const transmit = useCallback(async () => {
    const sent = open.current;
    if (!sent) return;
    setPhase("sending");
    const answer = await mutate(client, sent.key, sent.command).catch(refusalOf);
    if (!answer) return setPhase("unanswered");
    open.current = null;
    setPhase("idle");
    answered.current(answer, sent.command);
  }, [client]);

  const send = useCallback(
    (command: DrillCommand) => {
      if (open.current) return;
      open.current = { key: crypto.randomUUID(), command };
      void transmit();
    },
    [transmit],
  );
  return { phase, send, retry: () => void transmit() };
}

async function mutate(client: ReturnType<typeof useTRPCClient>, key: string, command: DrillCommand): Promise<DrillAnswer> {
  const options = { signal: AbortSignal.timeout(answerTimeoutMs) };
  const { act, ...input } = command;
  const sent = { ...input, key };
  if (act === "start") return client.drills.start.mutate(sent as never, options);
  if (act === "stop") return client.drills.stop.mutate(sent as never, options);
  return client.drills.record.mutate(sent as never, options);
}

/** Undefined: nobody knows whether it was done. */
function refusalOf(error: unknown): DrillAnswer | undefined {
  const problem = error instanceof TRPCClientError ? (error as TRPCClientError<AppRouter>).data?.problem : undefined;
  return problem && !problem.retryable ? { status: problem.status, body: { ...problem } } : undefined;
}
