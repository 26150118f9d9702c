"use client";

import { useLocale, useTranslations } from "next-intl";
import { AttemptsCell } from "@/app/_components/attempts";
import { reasonWords } from "@/app/_components/reason-dictionary";
import { Ref } from "@/app/_components/ref";
import { distance, epochMs, formatOffset, Time, zonedParts } from "@/app/_components/time";
import type { OfferedRow } from "@/server/domain/operations/queue-actions";
import type { QueueRow } from "@/server/domain/operations/types";
import { changeWord, effects, plainReasons } from "./words";

export type Clock = { nowMs: number | undefined; manyZones: boolean };

/** "Created 1×": what the command did to the appointment, counted from its history. */
export function Change({ row }: { row: QueueRow }) {
  const t = useTranslations();
  const word = changeWord(row.eventType);
  return (
    <>
      <Ref>{row.clinicRef}</Ref>
      {word && (
        <>
          {" · "}
          {t("delivery.changed", { change: t(word), count: row.changes })}
        </>
      )}
    </>
  );
}

/** Second line of the state: who has the row or kept it, else what the state means for the appointment. */
export function Effect({ row }: { row: OfferedRow }) {
  const t = useTranslations();
  if (row.kept) return <>{t("act.keptBy", { ref: row.kept.byRef })}</>;
  if (row.isMine && row.group === "DECISION") return <>{t("act.yours")}</>;
  if (row.assigneeRef && row.group === "DECISION") return <>{t("act.hasIt", { ref: row.assigneeRef })}</>;
  return <>{t(effects[row.state])}</>;
}

/** Why the row is where it is: of a kept one, in the words of who kept it. */
export function Reason({ row }: { row: QueueRow }) {
  const t = useTranslations();
  if (row.kept) return <>{row.kept.reason}</>;
  if (row.kind === "command") return <>{t("delivery.plain.COMMAND")}</>;
  if (row.reasonCode) {
    const word = reasonWords[row.reasonCode];
    return <>{word ? t(word) : t("delivery.reasonCode", { code: row.reasonCode })}</>;
  }
  return <>{t(plainReasons[row.state])}</>;
}

export function Consumer({ row }: { row: QueueRow }) {
  const t = useTranslations();
  const boundary = row.kind === "command" ? t("boundary.http") : row.kind === "outbox" ? t("boundary.outbox") : t("boundary.inbox");
  return (
    <>
      <span className="l1">{row.consumer ?? (row.kind === "command" ? "appointment-api" : "outbox-relay")}</span>
      <span className="l2">{boundary}</span>
    </>
  );
}

export function Attempts({ row }: { row: QueueRow }) {
  const t = useTranslations();
  if (row.calls !== null) {
    return (
      <>
        <span className="l1 num">{t("delivery.calls", { count: row.calls })}</span>
        <span className="l2">{t("delivery.sameKey")}</span>
      </>
    );
  }
  if (row.attempts === null) return null;
  if (row.attemptsMax === null) return <span className="l1 num">{row.attempts}</span>;
  return <AttemptsCell used={row.attempts} max={row.attemptsMax} />;
}

/** Relative time first, the clock below; a zone offset where several zones share the pane. */
export function NextAttempt({ row, clock }: { row: QueueRow; clock: Clock }) {
  const t = useTranslations();
  const locale = useLocale();
  const exact = (at: string) => (
    <span className="l2 num">
      <Time at={at} zone={row.clinicZone} as={clock.manyZones ? "clock" : "seconds"} locale={locale} />
      {clock.manyZones && ` ${formatOffset(zonedParts(at, row.clinicZone).offsetMinutes)}`}
    </span>
  );
  if (row.group === "DECISION" && !row.kept) {
    return (
      <>
        <span className="l1 num two">{t("delivery.stopped")}</span>
        {exact(row.at)}
      </>
    );
  }
  if (row.state === "PROCESSING" && row.leaseUntil) {
    return (
      <>
        <span className="l1 num two">{t("delivery.running")}</span>
        {exact(row.leaseUntil)}
      </>
    );
  }
  if (row.nextAttemptAt) {
    const wait = clock.nowMs === undefined ? undefined : epochMs(row.nextAttemptAt) - clock.nowMs;
    const apart = wait === undefined ? undefined : distance(wait);
    return (
      <>
        <span className="l1 num b5">
          {wait === undefined || !apart ? "–" : wait <= 0 ? t("delivery.due") : t(`time.in.${apart.unit}`, { count: apart.count })}
        </span>
        {exact(row.nextAttemptAt)}
      </>
    );
  }
  if (row.state === "BLOCKED_BY") return <span className="dim">{t("delivery.afterBlocker")}</span>;
  return <span className="dim">{t("next.none")}</span>;
}
