"use client";

import { useLocale, useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { formatPeriod } from "@/app/_components/time";
import type { ListedFact } from "@/server/domain/clinics/list-facts";
import { kindWords, weekdayWords } from "./fact-words";

type Props = {
  facts: ListedFact[];
  zone: string;
  busy: boolean;
  offBecause: string | undefined;
  onChange(fact: ListedFact): void;
  onEnd(fact: ListedFact): void;
};

/** What holds from the shown day on, and what may be done to it. */
export function FactList({ facts, zone, busy, offBecause, onChange, onEnd }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const when = ({ fromInstant, untilInstant, weekday, from, until }: ListedFact) => {
    if (fromInstant && untilInstant) return formatPeriod(fromInstant, untilInstant, zone, locale);
    const word = weekday === null ? undefined : weekdayWords[weekday - 1];
    return `${word ? t(word) : t("facts.everyDay")}, ${from}–${until}`;
  };
  return (
    <section className="sec" aria-label={t("facts.holds")}>
      <div className="sech">
        <h3>{t("facts.holds")}</h3>
      </div>
      {facts.length === 0 && <p className="text-3rd">{t("facts.none")}</p>}
      <ul className="grid gap-2">
        {facts.map((fact) => {
          const name = `${t(kindWords[fact.kind])}, ${when(fact)}`;
          const whyId = `over-${fact.id}`;
          const off = offBecause ?? (fact.actions.end.allowed ? undefined : whyId);
          return (
            <li key={fact.id} className="grid gap-1 border-line border-t pt-2">
              <span>
                <b className="b5">{t(kindWords[fact.kind])}</b> <span className="num">{when(fact)}</span>
              </span>
              <span className="text-meta text-3rd">
                {[fact.words, fact.units === null ? null : t("facts.unitsOut", { count: fact.units })].filter(Boolean).join(" · ")}
              </span>
              {!fact.actions.end.allowed && (
                <span id={whyId} className="text-meta text-3rd">
                  {t("facts.over")}
                </span>
              )}
              <span className="flex gap-2">
                <Button size="sm" busy={busy} offBecause={off} aria-label={t("facts.changeOf", { name })} onClick={() => onChange(fact)}>
                  {t("facts.change")}
                </Button>
                <Button
                  size="sm"
                  look="quiet"
                  busy={busy}
                  offBecause={off}
                  aria-label={t("facts.endOf", { name })}
                  onClick={() => onEnd(fact)}
                >
                  {t("facts.end")}
                </Button>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
