"use client";

import clsx from "clsx";
import { useLocale, useTranslations } from "next-intl";
import { Icon } from "@/app/_components/icon";
import { Identity, Ref } from "@/app/_components/ref";
import { distance, epochMs, formatOffset, Time, zonedParts } from "@/app/_components/time";
import type { MessageKey } from "@/app/_i18n/messages";
import { useApart } from "@/app/(staff)/operations/stories/_components/use-apart";
import type { PlanningRow, RunRow } from "@/server/domain/operations/planning-types";
import type { PlanningState } from "@/server/domain/planning/types";
import { Dates } from "./dates";
import { effectWords } from "./planning-dictionary";
import { useRunReason } from "./use-run-reason";

export type Clock = { nowMs: number | undefined; manyZones: boolean };

/** Which calculation, of which clinic and dates; or whose messages. */
export function Target({ row }: { row: PlanningRow }) {
  const t = useTranslations();
  return (
    <>
      <span className="l1 b6">{row.kind === "run" ? <Ref>{row.ref}</Ref> : t("planning.messages")}</span>
      <span className="l2">
        <Ref>{row.clinicRef}</Ref>
        {" · "}
        {row.kind === "run" ? <Dates of={row} /> : t("planning.dispatch")}
      </span>
    </>
  );
}

/** Calculated and current version side by side, each on its line, with = or ≠ between them. */
export function Version({ row }: { row: PlanningRow }) {
  const t = useTranslations();
  const [then, now] = [t("planning.then"), t("planning.now")];
  if (row.kind === "notification")
    return <Lines then={then} now={now} first={t("planning.notVersioned")} second={t("planning.observation")} />;
  if (!row.versions)
    return (
      <Lines then={then} now={now} first={t("planning.notCalculated")} second={row.state === "FAILED" ? "–" : t("planning.beingRead")} />
    );
  const { calculated, current } = row.versions;
  const isEqual = calculated === current;
  return (
    <>
      <span className="vr">
        <span className="k">{then}</span>
        <Identity value={calculated} head={4} tail={4} />
      </span>
      <span className={clsx("vr", current !== null && !isEqual && "df")}>
        <span className="k">{now}</span>
        {current === null ? <span className="dim">–</span> : <Identity value={current} head={4} tail={4} />}
        {current !== null && (
          <Icon name={isEqual ? "eq" : "neq"} className="cmp" label={t(isEqual ? "planning.equal" : "planning.differs")} />
        )}
      </span>
    </>
  );
}

function Lines({ then, now, first, second }: { then: string; now: string; first: string; second: string }) {
  return (
    <>
      <span className="vr">
        <span className="k">{then}</span> {first}
      </span>
      <span className="vr">
        <span className="k">{now}</span> {second}
      </span>
    </>
  );
}

/** Second line of the state: what it means for the appointments. */
export function Effect({ row, clock }: { row: PlanningRow; clock: Clock }) {
  const t = useTranslations();
  const apart = useApart();
  if (row.kind === "notification") return <>{t("planning.appointmentsFine")}</>;
  if (row.runState === "APPLIED") return <>{t("planning.ofCas", { count: row.written, all: row.moves ?? 0 })}</>;
  if (row.runState === "STALE_REJECTED" && row.casFailures > 0)
    return <>{t("planning.casFailed", { count: row.casFailures, all: row.moves ?? 0 })}</>;
  if (row.runState === "CALCULATING" && row.startedAt && clock.nowMs !== undefined) {
    const usedMs = Math.min(row.timeLimitMs, Math.max(0, clock.nowMs - epochMs(row.startedAt)));
    return <>{t("planning.used", { used: apart(Math.floor(usedMs / 1000) * 1000), limit: apart(row.timeLimitMs) })}</>;
  }
  return <>{t(effectWords[row.runState])}</>;
}

export function Reason({ row }: { row: PlanningRow }) {
  const t = useTranslations();
  const apart = useApart();
  const reasonOf = useRunReason();
  if (row.kind === "run") return <>{reasonOf(row)}</>;
  const { waiting, oldestSeconds, givenUp } = row.backlog;
  return (
    <>
      {givenUp > 0 && t("planning.givenUp", { count: givenUp })}
      {givenUp > 0 && waiting > 0 && " "}
      {waiting > 0 && oldestSeconds !== null && t("planning.oldestWaits", { age: apart(oldestSeconds * 1000) })}
    </>
  );
}

const whenWords: Record<PlanningState, MessageKey> = {
  REQUESTED: "planning.when.REQUESTED",
  CALCULATING: "planning.when.CALCULATING",
  CALCULATED: "planning.when.CALCULATED",
  APPLIED: "planning.when.APPLIED",
  STALE_REJECTED: "planning.when.STALE_REJECTED",
  RETRYABLE: "planning.when.RETRYABLE",
  DISCARDED: "planning.when.DISCARDED",
  FAILED: "planning.when.FAILED",
};

/** What happened when, or how long until it goes on; an older day is said, and an offset where several zones share the pane. */
export function When({ row, clock }: { row: PlanningRow; clock: Clock }) {
  const t = useTranslations();
  const locale = useLocale();
  const at = row.kind === "run" && row.runState === "RETRYABLE" && row.nextAttemptAt ? row.nextAttemptAt : row.at;
  const isToday = clock.nowMs === undefined || Math.abs(clock.nowMs - epochMs(at)) < 12 * 3_600_000;
  return (
    <>
      <span className="l1 num two">{wordOf(row)}</span>
      <span className="l2 num">
        <Time at={at} zone={row.zone} as={isToday ? (clock.manyZones ? "clock" : "seconds") : "dayClock"} locale={locale} />
        {clock.manyZones && isToday && ` ${formatOffset(zonedParts(at, row.zone).offsetMinutes)}`}
      </span>
    </>
  );

  function wordOf(of: PlanningRow): string {
    if (of.kind === "notification") return t("planning.when.DEGRADED");
    if (of.runState === "RETRYABLE" && of.nextAttemptAt && clock.nowMs !== undefined) return untilWord(of, clock.nowMs);
    return t(whenWords[of.runState]);
  }
  function untilWord({ nextAttemptAt }: RunRow, nowMs: number): string {
    const waitMs = epochMs(nextAttemptAt as string) - nowMs;
    const apart = distance(waitMs);
    return waitMs <= 0 ? t("delivery.due") : t(`time.in.${apart.unit}`, { count: apart.count });
  }
}
