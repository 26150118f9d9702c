"use client";

import { useTranslations } from "next-intl";
import { StateMark } from "@/app/_components/state";
import { planningStates } from "@/app/_components/state-dictionary";
import { doneWords, problemWords, staleWords } from "./planning-dictionary";
import type { RowEnd } from "./use-row-ends";

/** Stays on the row until the screen is left: who works off a queue sees what was done without going back. */
export function PlanningRowResult({ end }: { end: RowEnd }) {
  const t = useTranslations();
  if (end.outcome === "STALE_REJECTED" || end.outcome === "RETRYABLE") {
    const { glyph, family, label } = planningStates[end.outcome];
    return (
      <StateMark glyph={glyph} family={family}>
        {end.staleKind ? t(staleWords[end.staleKind]) : t(label)}
      </StateMark>
    );
  }
  if (end.status < 300)
    return (
      <StateMark glyph="check" family="done">
        {t(doneWords[end.action], { ref: end.ref ?? "" })}
      </StateMark>
    );
  const word = end.code ? problemWords[end.code] : undefined;
  return (
    <StateMark glyph="stale" family="stale">
      {word ? t(word) : t("problem.other", { code: end.code ?? String(end.status) })}
    </StateMark>
  );
}
