"use client";

import { useEffect, useState } from "react";

/**
 * The server's clock, moved on by the time that passed here since its answer: a wrong clock of this machine changes no age. The first drawing shows
 * the answer's own moment, as the server drew it.
 */
export function useServerNow(serverNowMs: number | undefined, receivedAtMs: number | undefined, everyMs = 1000): number | undefined {
  const [hereMs, setHereMs] = useState<number>();
  useEffect(() => {
    const timer = setInterval(() => setHereMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  if (serverNowMs === undefined || receivedAtMs === undefined || hereMs === undefined) return serverNowMs;
  return serverNowMs + Math.max(0, hereMs - receivedAtMs);
}
