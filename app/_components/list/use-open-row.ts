"use client";

import { useEffect, useState } from "react";
import { focusShown } from "@/app/_components/focus-shown";

type Wish = {
  rows: readonly { id: string }[];
  /** The row whose panel is open, as the address says. */
  openId: string | null;
  /** What the rows belong to: with another scope, the focus begins anew. */
  scope: string | undefined;
  onOpen(id: string | null): void;
};

/** One row has the focus and one may be open: moving by keys, opening, and the way of the focus back to the row when the panel is gone. */
export function useOpenRow({ rows, openId, scope, onOpen }: Wish) {
  const [focusId, setFocusId] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the scope decides
  useEffect(() => setFocusId(null), [scope]);

  const focusRow = (id: string | undefined) => {
    if (!id) return;
    setFocusId(id);
    focusShown(`[data-row="${CSS.escape(id)}"]`);
  };
  const neighbour = (by: 1 | -1, from: string | null): string | undefined =>
    rows[Math.min(rows.length - 1, Math.max(0, rows.findIndex((row) => row.id === from) + by))]?.id;
  return {
    focusId,
    setFocusId,
    focusRow,
    neighbour,
    close: () => {
      onOpen(null);
      if (openId) setTimeout(() => focusRow(openId)); // once the panel is gone
    },
    /** To the next row; an open panel follows. */
    move: (by: 1 | -1) => {
      const id = neighbour(by, focusId ?? openId);
      focusRow(id);
      if (openId && id) onOpen(id);
    },
    /** The panel to the next row. */
    step: (by: 1 | -1) => {
      const id = neighbour(by, openId);
      if (id) onOpen(id);
    },
  };
}
