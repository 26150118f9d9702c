"use client";

import { useEffect, useMemo } from "react";
import type { ListPages } from "@/app/_components/list/list-body";

type Page<Row> = { rows: Row[] };
type Pages<Row> = ListPages & { data: { pages: Page<Row>[] } | undefined; isPlaceholderData: boolean };

/**
 * Pages that stay where they are while somebody reads, and the first page read again beside them: known rows get their new values in place (`keep` says
 * what of the old one stays, such as its group), unknown rows only raise `newRows` until the reader asks for them. An empty list has nothing that could
 * move, so what comes is shown at once.
 */
export function useLivePages<Row extends { id: string }>(
  pages: Pages<Row>,
  head: Page<Row> | undefined,
  keep: (fresh: Row, shown: Row) => Row,
): { rows: Row[]; newRows: number } {
  const shown = useMemo(() => pages.data?.pages.flatMap((page) => page.rows) ?? [], [pages.data]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `keep` is a rule, not a value
  const { rows, newRows } = useMemo(() => {
    const fresh = new Map((head?.rows ?? []).map((row) => [row.id, row]));
    const known = new Set(shown.map((row) => row.id));
    const unseen = pages.isPlaceholderData ? 0 : [...fresh.keys()].filter((id) => !known.has(id)).length;
    const rows = shown.map((row) => {
      const now = fresh.get(row.id);
      return now ? keep(now, row) : row;
    });
    return { rows, newRows: unseen };
  }, [shown, head, pages.isPlaceholderData]);
  const emptyYet = newRows > 0 && shown.length === 0 && !pages.isFetching;
  const { refetch } = pages;
  useEffect(() => {
    if (emptyYet) refetch();
  }, [emptyYet, refetch]);
  return { rows, newRows: shown.length === 0 ? 0 : newRows };
}
