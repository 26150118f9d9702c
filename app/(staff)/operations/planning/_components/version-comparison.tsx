"use client";

import clsx from "clsx";
import { useLocale, useTranslations } from "next-intl";
import { Icon } from "@/app/_components/icon";
import { Identity } from "@/app/_components/ref";
import { StateMark } from "@/app/_components/state";
import { formatTime } from "@/app/_components/time";
import type { RunEvidence } from "@/server/domain/operations/planning-types";
import { FactSubject } from "./fact-subject";
import { changeWords, factGroupWords, factWord } from "./planning-dictionary";

const hasEnded = ({ row }: RunEvidence): boolean => row.runState === "APPLIED" || row.runState === "DISCARDED";

/** Calculated and current version, for all facts and for each group of them; below, which facts changed, by whom and when. */
export function VersionComparison({ evidence }: { evidence: RunEvidence }) {
  const t = useTranslations();
  const locale = useLocale();
  const { row, groups, calculation, changes, changesMore, scope } = evidence;
  if (!groups || !row.versions || !calculation) return null;
  const seconds = (at: string) => formatTime(at, scope.zone, "seconds", locale);
  const { current } = row.versions;
  const apply = evidence.attempts[0];
  return (
    <section className="sec tight">
      <div className="sech">
        <h3>planningFactVersion</h3>
        <span className="sp" />
        <Verdict differs={row.differs.length} isKnown={current !== null} />
      </div>
      <table className="cmpt">
        <caption className="sr">{t("planning.versionTable")}</caption>
        <colgroup>
          <col />
          <col />
          <col />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">{t("planning.factGroup")}</span>
            </th>
            <th scope="col">{t("planning.calculatedAt", { at: seconds(calculation.calculatedAt) })}</th>
            <td className="m" />
            <th scope="col">
              {hasEnded(evidence) && apply
                ? t("planning.atApply", { at: seconds(apply.startedAt) })
                : t("planning.currentAt", { at: seconds(evidence.asOf) })}
            </th>
          </tr>
        </thead>
        <tbody>
          <Pair name={t("planning.version")} calculated={row.versions.calculated} current={current} isWhole />
          {groups.map((pair) => (
            <Pair key={pair.group} name={t(factGroupWords[pair.group])} calculated={pair.calculated} current={pair.current} />
          ))}
        </tbody>
      </table>
      {changes.length > 0 && (
        <ul className="facts" aria-label={t("planning.changedFacts")}>
          {changes.map((change) => (
            <li key={change.id}>
              <Icon name={change.change === "ADDED" ? "plus" : change.change === "CHANGED" ? "pen" : "minus"} />
              <span>
                {t(factWord(change.fact))} <FactSubject change={change} zone={scope.zone} />
              </span>
              <span className="tm num">
                {t(changeWords[change.change], { at: formatTime(change.at, scope.zone, "clock", locale), who: change.byRef })}
              </span>
            </li>
          ))}
          {changesMore > 0 && <li className="dim">{t("planning.moreChanges", { count: changesMore })}</li>}
        </ul>
      )}
    </section>
  );
}

function Verdict({ differs, isKnown }: { differs: number; isKnown: boolean }) {
  const t = useTranslations();
  if (!isKnown)
    return (
      <StateMark glyph="await" family="off">
        {t("planning.notCompared")}
      </StateMark>
    );
  return differs > 0 ? (
    <StateMark glyph="neq" family="stale">
      {t("planning.groupsDiffer", { count: differs })}
    </StateMark>
  ) : (
    <StateMark glyph="eq" family="done">
      {t("planning.groupsEqual")}
    </StateMark>
  );
}

type PairProps = { name: string; calculated: string; current: string | null; isWhole?: boolean };

function Pair({ name, calculated, current, isWhole }: PairProps) {
  const t = useTranslations();
  const differs = current !== null && calculated !== current;
  const [head, tail] = isWhole ? [6, 4] : [6, 0];
  const show = (value: string) => {
    const short =
      tail === 0 ? (
        <span className="ref" title={value}>
          {value.slice(0, head)}
        </span>
      ) : (
        <Identity value={value} head={head} tail={tail} />
      );
    return differs && !isWhole ? <mark>{short}</mark> : short;
  };
  return (
    <tr className={clsx(isWhole && "all", differs ? "neq" : "eq")}>
      <th scope="row">{name}</th>
      <td>{show(calculated)}</td>
      <td className="m">
        {current !== null && <Icon name={differs ? "neq" : "eq"} label={t(differs ? "planning.differs" : "planning.equal")} />}
      </td>
      <td>{current === null ? <span className="dim">–</span> : show(current)}</td>
    </tr>
  );
}
