"use client";

import { useTranslations } from "next-intl";
import { Notice } from "@/app/_components/notice";
import { problemWords } from "../problem-words";
import { faultWord } from "./fact-words";
import type { FactProblem } from "./use-fact-command";

/** Why nothing was saved, or that nobody knows yet; announced, because it answers an act. */
export function FactProblemNotice({ problem }: { problem: FactProblem | "lost" }) {
  const t = useTranslations();
  if (problem === "lost")
    return (
      <Notice glyph="off" family="plan" title={t("retry.title")} alert>
        {t("facts.lost")}
      </Notice>
    );
  const word = faultWord(problem.why) ?? (problem.code === "fact-over" ? "facts.over" : problemWords[problem.code]);
  return (
    <Notice glyph="fail" family="hold" title={word ? t(word) : t("problem.other", { code: problem.code })} alert>
      {t("problem.nothingChanged")}
    </Notice>
  );
}
