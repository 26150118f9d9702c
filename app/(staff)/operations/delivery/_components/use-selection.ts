"use client";

import { useCallback, useMemo, useState } from "react";
import type { OfferedRow } from "@/server/domain/operations/queue-actions";

/** Rows that can be part of a bulk act. */
export const isSelectable = (row: OfferedRow): boolean => row.canAssign || row.canKeep;

/** Which rows are selected, apart from the one that is open. Only rows that are shown and can still be acted on count. */
export function useSelection(rows: OfferedRow[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState<string | null>(null);
  const selectable = useMemo(() => rows.filter(isSelectable), [rows]);
  const selected = useMemo(() => selectable.filter((row) => ids.has(row.id)), [selectable, ids]);

  const toggle = useCallback((id: string) => {
    setAnchor(id);
    setIds((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  /** From the row that was last chosen to this one. */
  const extend = useCallback(
    (id: string) => {
      const all = selectable.map((row) => row.id);
      const [from, to] = [all.indexOf(anchor ?? id), all.indexOf(id)].sort((a, b) => a - b) as [number, number];
      if (to < 0) return;
      setIds((before) => new Set([...before, ...all.slice(Math.max(0, from), to + 1)]));
      setAnchor(id);
    },
    [selectable, anchor],
  );
  const clear = useCallback(() => {
    setIds(new Set());
    setAnchor(null);
  }, []);
  const toggleAll = useCallback(
    () => setIds((before) => (selectable.every((row) => before.has(row.id)) ? new Set() : new Set(selectable.map((row) => row.id)))),
    [selectable],
  );
  return { ids, selected, selectable, toggle, extend, clear, toggleAll };
}
export type Selection = ReturnType<typeof useSelection>;
