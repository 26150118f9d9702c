import { type Message, type NotificationProvider, type ProviderReason, type SendResult, unknown } from "./provider";

/**
 * One bounded external call. A provider that does not answer in time, or throws, may have delivered: that is RETRY where the same key makes
 * a second hand-over harmless, and UNKNOWN everywhere else. Silence counts as an outage, so a provider that hangs does not hold every message for a time-out.
 */
export async function callProvider(provider: NotificationProvider, message: Message, timeoutMs: number): Promise<SendResult> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<SendResult>((resolve) => {
    timer = setTimeout(() => {
      abort.abort();
      resolve(uncertain("CALL_TIMEOUT"));
    }, timeoutMs);
  });
  const uncertain = (reason: ProviderReason): SendResult =>
    provider.idempotentByKey ? { ...again(reason), outage: true } : unknown(reason);
  try {
    const call = provider.send(message, { signal: abort.signal }).catch(() => uncertain("PROVIDER_FAILED"));
    const result = await Promise.race([call, timedOut]);
    return result.outcome === "UNKNOWN" && provider.idempotentByKey ? again(result.reason) : result;
  } finally {
    clearTimeout(timer);
  }
}

const again = (reason: ProviderReason) => ({ outcome: "RETRY", reason, outage: false, mayHaveArrived: true }) as const;
