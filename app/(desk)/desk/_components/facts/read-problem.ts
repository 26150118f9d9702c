import { TRPCClientError } from "@trpc/client";
import type { AppRouter } from "@/server/trpc/root";
import type { FactProblem } from "./use-fact-command";

/** The stable code of a question that was refused; without one the answer was lost. */
export function problemOf(error: unknown): FactProblem | "lost" {
  const problem = error instanceof TRPCClientError ? (error as TRPCClientError<AppRouter>).data?.problem : undefined;
  if (!problem || problem.retryable) return "lost";
  return { code: problem.code, ...(typeof problem.why === "string" ? { why: problem.why } : {}) };
}
