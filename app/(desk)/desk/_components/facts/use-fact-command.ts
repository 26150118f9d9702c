"use client";

import { TRPCClientError } from "@trpc/client";
import { useRef, useState } from "react";
import type { AffectedView } from "@/server/domain/clinics/fact-types";
import type { AppRouter } from "@/server/trpc/root";
import { newKey } from "../pending-command";

type Body = Record<string, unknown> & { code?: string };
export type FactProblem = { code: string; why?: string };
type Sent = { status: number; body: Body };

/**
 * Sends a command under a key that stays the same while the answer to the same command is open, so that "send again" cannot do it twice. The key lives in
 * this page only: what was typed (why somebody is absent) is kept nowhere.
 */
export function useFactCommand(onDone: (body: Body & { affected?: AffectedView }) => void) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<FactProblem | "lost" | null>(null);
  const open = useRef<{ text: string; key: string } | null>(null);

  const send = async (command: unknown, mutate: (key: string) => Promise<Sent>) => {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    const text = JSON.stringify(command);
    if (open.current?.text !== text) open.current = { text, key: newKey() };
    try {
      const { status, body } = await mutate(open.current.key);
      open.current = null; // answered, also when it was refused: the next send is a new command
      if (status < 400) onDone(body);
      else setProblem({ code: String(body.code), ...(typeof body.why === "string" ? { why: body.why } : {}) });
    } catch (error) {
      const known = error instanceof TRPCClientError ? (error as TRPCClientError<AppRouter>).data?.problem : undefined;
      if (known && !known.retryable) {
        open.current = null;
        setProblem({ code: known.code });
      } else setProblem("lost");
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, send, forget: () => setProblem(null) };
}
