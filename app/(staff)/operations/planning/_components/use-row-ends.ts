"use client";

import { useCallback, useState } from "react";
import type { PlanningAction } from "@/server/domain/planning/next-actions";
import type { StaleKind } from "@/server/domain/planning/types";
import type { PlanAnswer } from "./use-plan-act";

/** What became of the last act on a row, as the server answered it. */
export type RowEnd = {
  action: PlanningAction;
  status: number;
  code: string | undefined;
  /** Of an apply: how it ended. */
  outcome: string | null;
  staleKind: StaleKind | null;
  /** The run that was made in its place. */
  ref: string | null;
};

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

export function useRowEnds() {
  const [ends, setEnds] = useState<ReadonlyMap<string, RowEnd>>(new Map());
  const note = useCallback((id: string, action: PlanningAction, { status, body }: PlanAnswer) => {
    const end: RowEnd = {
      action,
      status,
      code: body.code,
      outcome: text(body.outcome),
      staleKind: text(body.staleKind) as StaleKind | null,
      ref: text(body.ref) ?? text(body.runRef),
    };
    setEnds((before) => new Map(before).set(id, end));
  }, []);
  return { ends, note };
}
