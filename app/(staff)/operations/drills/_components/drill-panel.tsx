"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useLocale, useTranslations } from "next-intl";
import { useEffect, useRef } from "react";
import { IconButton } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { StateMark } from "@/app/_components/state";
import { Time } from "@/app/_components/time";
import { useTRPC } from "@/app/_trpc/client";
import type { ByPeople } from "@/server/domain/drills/record-by-people";
import { DrillActions } from "./drill-actions";
import { Took } from "./drill-cells";
import { drillStates, drillWords, reasonWords, sentences } from "./drill-dictionary";
import { DrillSteps } from "./drill-steps";
import type { ListedDrill } from "./listed-drill";

type Props = {
  drill: ListedDrill;
  clinic: string | undefined;
  zone: string;
  online: boolean;
  isSending: boolean;
  onClose(): void;
  onStart(): void;
  onStop(run: string): void;
  onRecord(held: ByPeople): void;
};

/** The last run of a drill: how far it is or how it ended, step by step; what it checked, what it does not prove, and what can be done. */
export function DrillPanel({ drill, clinic, zone, onClose, ...acts }: Props) {
  const t = useTranslations();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { name, run, runbook } = drill;
  const state = drillStates[run?.state ?? "NEVER"];
  return (
    <aside className="ev" aria-labelledby="drill-heading">
      <div className="evh">
        <IconButton name="left" small className="back" label={t("drill.back")} onClick={onClose} />
        <h2 id="drill-heading" ref={heading} tabIndex={-1} className="id">
          {run?.ref ?? name}
        </h2>
        <StateMark glyph={state.glyph} family={state.family} pill>
          {t(state.label)}
        </StateMark>
        <span className="sp" />
        <Link
          className="sel"
          href={`/operations/drills/runbook/${name}`}
          prefetch={false}
          aria-label={t("drill.runbook", { runbook, name })}
        >
          <Icon name="ext" />
          {runbook}
        </Link>
        <IconButton name="x" small label={t("drill.close")} onClick={onClose} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard */}
      <section className="evb" tabIndex={0} aria-label={t("drill.panel")}>
        <div className="sum">
          {t(run?.carriedOut === "BY_PEOPLE" ? "drill.sentence.BY_PEOPLE" : run ? sentences[run.state] : "drill.neverTitle")}
          <small>{run ? `${name}: ${t(drillWords[name].what)}` : t("drill.neverText")}</small>
        </div>
        {run && <Facts run={run} zone={zone} />}
        <DrillSteps drill={drill} zone={zone} />
        <section className="sec">
          <div className="sech">
            <h3>{t("drill.notProven")}</h3>
          </div>
          <p className="npv">
            {t(drillWords[name].without)}. {t("drill.notProvenEnd")}
          </p>
        </section>
        <Earlier drill={drill} clinic={clinic} zone={zone} />
      </section>
      <DrillActions drill={drill} {...acts} />
    </aside>
  );
}

function Facts({ run, zone }: { run: NonNullable<ListedDrill["run"]>; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  return (
    <section className="sec">
      <dl className="kv">
        {run.carriedOut === "AUTOMATED" && (
          <>
            <dt>{t("drill.scopeLabel")}</dt>
            <dd>
              {run.scopeRef && <span className="id">{run.scopeRef}</span>}
              <span className="dim">
                {run.startedByKind === "person" ? t("drill.scopeSynthetic", { hours: 24 }) : t("drill.scopeThrowAway")}
              </span>
            </dd>
          </>
        )}
        <dt>{t("drill.startedLabel")}</dt>
        <dd>
          <Time at={run.startedAt ?? run.requestedAt} zone={zone} as="daySeconds" locale={locale} />
          <span className="id">{run.startedByRef}</span>
        </dd>
        {run.takes > 1 && (
          <>
            <dt>{t("drill.takesLabel")}</dt>
            <dd>{t("drill.takes", { count: run.takes })}</dd>
          </>
        )}
        {run.reasonCode && (
          <>
            <dt>{t("drill.reasonLabel")}</dt>
            <dd className="wrap">{t(reasonWords[run.reasonCode])}</dd>
          </>
        )}
        {run.note && (
          <>
            <dt>{t("drill.noteLabel")}</dt>
            <dd className="wrap">{run.note}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Earlier({ drill, clinic, zone }: Pick<Props, "drill" | "clinic" | "zone">) {
  const t = useTranslations();
  const locale = useLocale();
  const trpc = useTRPC();
  const runs = useQuery(trpc.drills.runs.queryOptions({ clinic, drill: drill.name }, { staleTime: 2_000, refetchInterval: 10_000 }));
  const earlier = (runs.data ?? []).filter(({ id }) => id !== drill.run?.id);
  if (earlier.length === 0) return null;
  return (
    <section className="sec">
      <div className="sech">
        <h3>{t("drill.earlier")}</h3>
      </div>
      <ul className="inv">
        {earlier.map((run) => {
          const { glyph, family, label } = drillStates[run.state];
          return (
            <li key={run.id}>
              <Icon name={glyph} className={`s-${family}`} />
              <span>
                <span className="id">{run.ref}</span> {t(label)}, <Time at={run.requestedAt} zone={zone} as="dayClock" locale={locale} />
              </span>
              <span className="a">{run.durationMs !== null && <Took ms={run.durationMs} />}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
