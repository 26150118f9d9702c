"use client";

import { useEffect, useState } from "react";

/** Which moves of the open plan are to be in a part of it: chosen in before and after, confirmed in the panel. Off until the part is wished for. */
export function useChosenMoves(openId: string | null) {
  const [isOn, setIsOn] = useState(false);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const off = () => {
    setIsOn(false);
    setIds(new Set());
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another plan has other moves
  useEffect(off, [openId]);
  return {
    isOn,
    ids,
    on: () => setIsOn(true),
    off,
    toggle: (id: string) =>
      setIds((before) => {
        const next = new Set(before);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
  };
}
export type ChosenMoves = ReturnType<typeof useChosenMoves>;
