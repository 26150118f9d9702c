"use client";

import { useTranslations } from "next-intl";
import { StateMark } from "@/app/_components/state";
import type { DeliveryAction } from "@/server/domain/inbox/next-actions";
import { actProblemWords, doneWords } from "./act-words";

/** What became of the last act on a row, as the server answered it. */
export type RowEnd = { action: DeliveryAction; status: number; code: string | undefined };

/** Stays on the row until the screen is left: who works off a queue sees what was done without going back. */
export function RowResult({ end }: { end: RowEnd }) {
  const t = useTranslations();
  if (end.status === 200)
    return (
      <StateMark glyph="check" family="done">
        {t(doneWords[end.action])}
      </StateMark>
    );
  const word = end.code ? actProblemWords[end.code] : undefined;
  return (
    <StateMark glyph="stale" family="stale">
      {word ? t(word) : t("problem.other", { code: end.code ?? String(end.status) })}
    </StateMark>
  );
}
