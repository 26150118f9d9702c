"use client";

import { useState } from "react";
import { focusPanel } from "./focus-panel";
import { useOpenRow } from "./use-open-row";

type Wish = {
  rows: readonly { id: string }[];
  openId: string | null;
  scope: string | undefined;
  onRow(id: string | null): void;
};

/**
 * Rows of a queue whose acts happen in the panel: a row's button or a key opens it with a wish, which the panel follows once its evidence is read, so one
 * pressed a moment too early is not lost. When an act is done, the next row is open.
 */
export function useRowActs<Action>({ rows, openId, scope, onRow }: Wish) {
  const [wanted, setWanted] = useState<{ action: Action | null; takesFocus: boolean }>({ action: null, takesFocus: true });
  const openRow = (id: string, action: Action | null = null) => {
    setWanted({ action, takesFocus: true });
    onRow(id);
  };
  const open = useOpenRow({ rows, openId, scope, onOpen: (id) => (id ? openRow(id) : onRow(null)) });
  return {
    ...open,
    wanted,
    openRow,
    /** For a key: of the row that is open, else of the one that has the focus. */
    ask: (action: Action) => {
      if (openId) setWanted((before) => ({ ...before, action }));
      else if (open.focusId) openRow(open.focusId, action);
    },
    /** The panel has begun with what was wanted. */
    onStarted: () => setWanted((before) => ({ ...before, action: null })),
    /** An act on a row is done: `stays` where nothing of it ended. The next row is open then and has the focus. */
    goOn: (id: string, stays = false) => {
      const next = stays ? undefined : open.neighbour(1, id);
      setWanted({ action: null, takesFocus: next === undefined || next === id || isNarrow() });
      if (!next || next === id) return focusPanel();
      onRow(next);
      open.focusRow(next);
    },
  };
}

/** Where the panel is a page of its own, there is no row beside it that could have the focus. */
const isNarrow = (): boolean => window.matchMedia("(max-width: 767px)").matches;
