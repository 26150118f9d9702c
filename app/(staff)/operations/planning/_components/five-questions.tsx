"use client";

import { useTranslations } from "next-intl";
import { type Glyph, Icon } from "@/app/_components/icon";
import { StateMark } from "@/app/_components/state";
import type { AnsweredQuestion } from "@/server/domain/operations/planning-types";
import { answerWords, questionWords, unreadWords } from "./planning-dictionary";

type Look = { mark: "p" | "n" | "f"; glyph: Glyph };
const looks: Record<AnsweredQuestion["answer"], Look> = {
  YES: { mark: "p", glyph: "pass" },
  YES_EQUAL: { mark: "p", glyph: "pass" },
  YES_DIFFER: { mark: "p", glyph: "pass" },
  NO_CAS_FAILED: { mark: "p", glyph: "pass" },
  YES_ROLLED_BACK: { mark: "p", glyph: "pass" },
  NOT_YET: { mark: "n", glyph: "await" },
  NOT_A_CALCULATION: { mark: "n", glyph: "na" },
  NOT_A_POLICY: { mark: "n", glyph: "na" },
  NOT_A_NOTIFICATION: { mark: "n", glyph: "na" },
  MISSING: { mark: "f", glyph: "fail" },
};

/** The five questions before any decision: each answered, not yet to be asked, not to be asked of such a row, or without an answer. */
export function FiveQuestions({ questions }: { questions: readonly AnsweredQuestion[] }) {
  const t = useTranslations();
  const count = (mark: Look["mark"], glyph?: Glyph) =>
    questions.filter(({ answer }) => looks[answer].mark === mark && (!glyph || looks[answer].glyph === glyph)).length;
  const missing = count("f");
  return (
    <section className="sec tight">
      <div className="sech">
        <h3>{t("planning.fiveQuestions")}</h3>
        <span className="sp" />
        {missing > 0 ? (
          <StateMark glyph="fail" family="hold">
            {t("planning.answersMissing", { count: missing })}
          </StateMark>
        ) : (
          <span className="r">{t("planning.answers", { answered: count("p"), later: count("n", "await"), never: count("n", "na") })}</span>
        )}
      </div>
      <ul className="qs">
        {questions.map((one) => (
          <li key={one.question} className={looks[one.answer].mark}>
            <Icon name={looks[one.answer].glyph} />
            <span>{t(questionWords[one.question])}</span>
            <span className="a">{answerOf(one)}</span>
          </li>
        ))}
      </ul>
    </section>
  );

  function answerOf(one: AnsweredQuestion): string {
    if (one.answer === "MISSING") return t(answerWords.MISSING, { what: one.unread.map((what) => t(unreadWords[what])).join(", ") });
    if (one.answer === "YES_ROLLED_BACK") return t(answerWords.YES_ROLLED_BACK, { count: one.written });
    return t(answerWords[one.answer]);
  }
}
