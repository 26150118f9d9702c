import { LogError } from "@/server/domain/event-log/port";

/** Rejects with UNAVAILABLE when `work` takes longer; what it does afterwards is of no interest any more. */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  work.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LogError("UNAVAILABLE", `Kafka did not answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const unavailable = (cause: unknown): LogError => new LogError("UNAVAILABLE", "Kafka did not answer as it should", cause);

/** The broker's own error type (e.g. MESSAGE_TOO_LARGE), wherever kafkajs wrapped it. */
export function brokerErrorType(error: unknown, depth = 0): string | undefined {
  if (typeof error !== "object" || error === null || depth > 8) return undefined;
  const { type, cause, originalError } = error as { type?: unknown; cause?: unknown; originalError?: unknown };
  if (typeof type === "string") return type;
  return brokerErrorType(cause, depth + 1) ?? brokerErrorType(originalError, depth + 1);
}
