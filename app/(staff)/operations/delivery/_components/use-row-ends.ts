"use client";

import { useCallback, useMemo, useState } from "react";
import type { OfferedRow } from "@/server/domain/operations/queue-actions";
import type { RowEnd } from "./row-result";

type Ended = RowEnd & { version: string | null; taskVersion: string | null; assigneeRef: string | null };
type Body = Record<string, unknown> & { code?: string };

/** After these a row is no task of the queue any more, whatever it still shows. */
const ending = ["keepQuarantined", "retryPublish", "skipPublish", "scheduleRetry"];

/**
 * What became of the acts of this screen, row by row. A row that was acted on keeps its place and shows the result; the versions that the server
 * answered with replace those it was drawn with, so that the next act on it is no stale one.
 */
export function useRowEnds(rows: OfferedRow[]) {
  const [ends, setEnds] = useState<ReadonlyMap<string, Ended>>(new Map());
  const note = useCallback((id: string, action: RowEnd["action"], status: number, body: Body) => {
    const text = (name: string) => (typeof body[name] === "string" ? (body[name] as string) : null);
    const end = {
      action,
      status,
      code: body.code,
      version: text("version"),
      taskVersion: text("taskVersion"),
      assigneeRef: text("assigneeRef"),
    };
    setEnds((before) => new Map(before).set(id, end));
  }, []);
  const shown = useMemo(
    () =>
      rows.map((row) => {
        const end = ends.get(row.id);
        if (end?.status !== 200) return row;
        const isNewer = BigInt(end.taskVersion ?? 0) > BigInt(row.taskVersion ?? 0);
        const after = isNewer ? { version: end.version, taskVersion: end.taskVersion, assigneeRef: end.assigneeRef } : {};
        if (ending.includes(end.action)) return { ...row, ...after, canAssign: false, canKeep: false };
        return end.action === "assign" ? { ...row, ...after, isMine: true, canAssign: false } : { ...row, ...after };
      }),
    [rows, ends],
  );
  return { ends, note, rows: shown };
}
