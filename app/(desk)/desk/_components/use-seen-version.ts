"use client";

import { useState } from "react";

type Versioned = { id: string; version: string };

/**
 * The version of a visit that the person has in front of them: the first one shown, the ones of their own commands, and the ones they asked to read
 * again. Live refresh does not move it, so a command names what was seen, and a change by somebody else is noticed instead of overwritten.
 */
export function useSeenVersion(visit: Versioned | undefined) {
  const [seen, setSeen] = useState<Versioned | null>(null);
  if (visit && seen?.id !== visit.id) setSeen({ id: visit.id, version: visit.version });
  if (!visit && seen) setSeen(null);
  const version = visit && seen?.id === visit.id ? seen.version : (visit?.version ?? "0");
  return {
    version,
    isBehind: (current: string) => BigInt(current) > BigInt(version),
    accept: (next: string) =>
      setSeen((before) => (before && BigInt(next) > BigInt(before.version) ? { id: before.id, version: next } : before)),
  };
}
