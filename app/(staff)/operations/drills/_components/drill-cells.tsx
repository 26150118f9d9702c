"use client";

import Link from "next/link";
import { useLocale, useTranslations } from "next-intl";
import { StateMark } from "@/app/_components/state";
import { epochMs, Time } from "@/app/_components/time";
import type { DrillRun } from "@/server/domain/drills/read-runs";
import { drillStates } from "./drill-dictionary";
import { isUnderWay, type ListedDrill } from "./listed-drill";

/** "4.3 s", "4 min 12 s"; counted by the server's clock while a run is under way. */
export function Took({ ms }: { ms: number }) {
  const t = useTranslations();
  const seconds = ms / 1000;
  if (seconds < 60) return <>{t("drill.seconds", { seconds: seconds < 10 ? seconds.toFixed(1) : Math.round(seconds) })}</>;
  return <>{t("drill.minutes", { minutes: Math.floor(seconds / 60), seconds: Math.round(seconds % 60) })}</>;
}

export function LastRun({ run, zone, nowMs }: { run: DrillRun | null; zone: string; nowMs: number | undefined }) {
  const t = useTranslations();
  const locale = useLocale();
  if (!run) return <span className="l1 dim">{t("drill.never")}</span>;
  const sinceMs = nowMs === undefined ? 0 : Math.max(0, nowMs - epochMs(run.startedAt ?? run.requestedAt));
  return (
    <>
      <span className="l1">
        <Time at={run.startedAt ?? run.requestedAt} zone={zone} as="dayClock" locale={locale} />
      </span>
      <span className="l2">
        <Took ms={run.durationMs ?? sinceMs} />
      </span>
    </>
  );
}

/** State and word, and below it how far or how well. */
export function Result({ drill }: { drill: ListedDrill }) {
  const t = useTranslations();
  const { run, steps, invariants } = drill;
  const { glyph, family, label } = drillStates[run?.state ?? "NEVER"];
  return (
    <>
      <span className="l1">
        <StateMark glyph={glyph} family={family}>
          {t(label)}
        </StateMark>
      </span>
      <span className="l2 ind">
        {!run && t("drill.noResult")}
        {run && isUnderWay(drill) && t("drill.stepOf", { step: Math.max(1, run.steps.length), count: steps.length })}
        {run &&
          !isUnderWay(drill) &&
          run.carriedOut === "AUTOMATED" &&
          t("drill.holding", { holding: run.invariants.filter(({ holds }) => holds).length, count: invariants.length })}
      </span>
    </>
  );
}

export function CarriedOut({ drill: { run, runbook } }: { drill: ListedDrill }) {
  const t = useTranslations();
  if (!run) return <span className="l1 dim">{t("drill.nobody")}</span>;
  const isByPeople = run.carriedOut === "BY_PEOPLE";
  return (
    <>
      <span className="l1">
        <StateMark glyph={isByPeople ? "drill" : "gear"} family="off">
          {t(isByPeople ? "drill.byPeople" : "drill.automated")}
        </StateMark>
      </span>
      <span className="l2 ind">
        {isByPeople && t("drill.people", { count: run.people ?? 0, runbook })}
        {!isByPeople && t(run.startedByKind === "person" ? "drill.startedBy" : "drill.fromCommandLine", { who: run.startedByRef })}
      </span>
    </>
  );
}

export function RunbookLink({ drill: { name, runbook } }: { drill: Pick<ListedDrill, "name" | "runbook"> }) {
  const t = useTranslations();
  return (
    <Link className="rb id" href={`/operations/drills/runbook/${name}`} prefetch={false} aria-label={t("drill.runbook", { runbook, name })}>
      {runbook}
    </Link>
  );
}
