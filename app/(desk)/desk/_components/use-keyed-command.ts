"use client";

import { TRPCClientError } from "@trpc/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTRPCClient } from "@/app/_trpc/client";
import type { AppRouter } from "@/server/trpc/root";
import { type DeskCommand, dropPending, keepPending, newKey, type PendingCommand, pendingName, readPending } from "./pending-command";

export type Try = { atMs: number; end: "SENDING" | "NO_ANSWER" | "TOLD_TO_WAIT" | "NOT_STORED" };
export type Answer = { status: number; body: Record<string, unknown> & { code?: string }; replayed: boolean };
/** A refusal that nothing was stored for: the key is free, and the next send makes a new one. */
export type Refusal = { code: string; detail?: string; [fact: string]: unknown };

type State = {
  /** `idle`: nothing is open. `sending`: a try is on its way. `unanswered`: sent, and nobody knows what became of it: the form is locked. */
  phase: "idle" | "sending" | "unanswered";
  pending: PendingCommand | null;
  tries: Try[];
};
const idle: State = { phase: "idle", pending: null, tries: [] };
const answerTimeoutMs = 10_000;

type Options = {
  userId: string;
  clinicId: string;
  retentionHours: number;
  onAnswer(answer: Answer, command: DeskCommand): void;
  onRefusal(refusal: Refusal, command: DeskCommand): void;
};

/**
 * Sends one command at a time under a key that is stored before the first send and kept until an answer comes, over reloads too. While an answer is
 * open the same command goes out under the same key; after an answer (also a stored refusal) the next command gets a new one.
 */
export function useKeyedCommand({ userId, clinicId, retentionHours, onAnswer, onRefusal }: Options) {
  const client = useTRPCClient();
  const [state, setState] = useState<State>(idle);
  const handlers = useRef({ onAnswer, onRefusal });
  handlers.current = { onAnswer, onRefusal };
  const name = pendingName(userId, clinicId);

  // What a reload left open is open again, with its form locked.
  useEffect(() => {
    const pending = readPending(window.localStorage, name, Date.now());
    if (pending) setState({ phase: "unanswered", pending, tries: pending.sentAt.map((atMs) => ({ atMs, end: "NO_ANSWER" as const })) });
    else setState(idle);
  }, [name]);

  const finish = useCallback(
    (answer: Answer, command: DeskCommand) => {
      dropPending(window.localStorage, name);
      setState(idle);
      handlers.current.onAnswer(answer, command);
    },
    [name],
  );

  const transmit = useCallback(
    async (pending: PendingCommand, tries: Try[]) => {
      const atMs = Date.now();
      const kept = { ...pending, sentAt: [...pending.sentAt, atMs] };
      keepPending(window.localStorage, name, kept);
      setState({ phase: "sending", pending: kept, tries: [...tries, { atMs, end: "SENDING" }] });
      try {
        const answer = await mutate(client, clinicId, kept);
        finish(answer, kept.command);
      } catch (error) {
        const problem = error instanceof TRPCClientError ? (error as TRPCClientError<AppRouter>).data?.problem : undefined;
        if (problem && !problem.retryable) {
          dropPending(window.localStorage, name);
          setState(idle);
          handlers.current.onRefusal(problem, kept.command);
          return;
        }
        setState({ phase: "unanswered", pending: kept, tries: [...tries, { atMs, end: problem ? "TOLD_TO_WAIT" : "NO_ANSWER" }] });
      }
    },
    [client, clinicId, name, finish],
  );

  /** Makes and stores a new key, then sends. Ignored while another command is open. */
  const send = useCallback(
    (command: DeskCommand) => {
      if (state.phase !== "idle") return;
      const keptUntil = Date.now() + retentionHours * 3_600_000;
      void transmit({ key: newKey(), command, sentAt: [], keptUntil }, []).catch(() =>
        handlers.current.onRefusal({ code: "browser-keeps-nothing" }, command),
      );
    },
    [state.phase, retentionHours, transmit],
  );

  const retry = useCallback(() => {
    if (state.phase === "unanswered" && state.pending) void transmit(state.pending, state.tries);
  }, [state, transmit]);

  /** Asks what became of the key, and changes nothing. */
  const lookUp = useCallback(async () => {
    const { pending, tries, phase } = state;
    if (phase !== "unanswered" || !pending) return;
    const atMs = Date.now();
    setState({ phase: "sending", pending, tries });
    try {
      const found = await client.desk.lookUp.query({ clinicId, key: pending.key });
      if (found) finish({ status: found.status, body: found.body, replayed: true }, pending.command);
      else setState({ phase: "unanswered", pending, tries: [...tries, { atMs, end: "NOT_STORED" }] });
    } catch {
      setState({ phase: "unanswered", pending, tries: [...tries, { atMs, end: "NO_ANSWER" }] });
    }
  }, [state, client, clinicId, finish]);

  return { ...state, send, retry, lookUp };
}

function mutate(client: ReturnType<typeof useTRPCClient>, clinicId: string, { key, command }: PendingCommand): Promise<Answer> {
  const options = { signal: AbortSignal.timeout(answerTimeoutMs) };
  const keyed = { clinicId, key };
  switch (command.operation) {
    case "book":
      return client.desk.book.mutate({ ...keyed, visit: command.visit }, options);
    case "reschedule":
      return client.desk.reschedule.mutate({ ...keyed, ...named(command), change: command.change as never }, options);
    case "cancel":
      return client.desk.cancel.mutate({ ...keyed, ...named(command), change: command.change as never }, options);
    case "changeStatus":
      return client.desk.changeStatus.mutate({ ...keyed, ...named(command), change: command.change as never }, options);
  }
}

const named = ({ appointmentId, version }: { appointmentId: string; version: string }) => ({ appointmentId, version });
