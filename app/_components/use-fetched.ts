"use client";

import { useEffect, useState } from "react";

/** A part of a screen that is fetched when it is first wanted; null until it is there. A failure is told, and the next wish tries again. */
export function useFetched<T>(fetchPart: () => Promise<T>, isWanted: boolean, onFailed: () => void): T | null {
  const [part, setPart] = useState<T | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each wish
  useEffect(() => {
    if (!isWanted || part) return;
    let isWaiting = true;
    fetchPart().then(
      (fetched) => isWaiting && setPart(() => fetched),
      () => isWaiting && onFailed(),
    );
    return () => {
      isWaiting = false;
    };
  }, [isWanted]);
  return part;
}
