"use client";

import { useLocale, useTranslations } from "next-intl";
import type { Glyph } from "@/app/_components/icon";
import { Icon } from "@/app/_components/icon";
import { KeyValue, KeyValueList } from "@/app/_components/key-value";
import { reasonWords } from "@/app/_components/reason-dictionary";
import { Ref } from "@/app/_components/ref";
import { StateMark } from "@/app/_components/state";
import { formatTime, Time } from "@/app/_components/time";
import { useApart } from "@/app/(staff)/operations/stories/_components/use-apart";
import type { NotificationEvidence, Signal } from "@/server/domain/operations/planning-types";
import { FiveQuestions } from "./five-questions";
import { signalWords } from "./planning-dictionary";

const marks: Record<Signal["state"], { mark: string; glyph: Glyph }> = {
  GOOD: { mark: "p", glyph: "pass" },
  POOR: { mark: "w", glyph: "warn" },
  UNREAD: { mark: "n", glyph: "await" },
};

/** Signals of the messages, each read apart; then what became of the appointments, which they say nothing about. */
export function NotificationBody({ evidence }: { evidence: NotificationEvidence }) {
  const t = useTranslations();
  const locale = useLocale();
  const { scope, signals, appointments, row } = evidence;
  const since = formatTime(row.at, scope.zone, "dayClock", locale);
  return (
    <>
      <div className="sum">
        {t(row.backlog.givenUp > 0 ? "planning.sum.givenUp" : "planning.sum.slow")}
        <small>
          <Ref>{scope.tenantGroupRef}</Ref> / <Ref>{scope.clinicRef}</Ref> {scope.clinicName}. {t("planning.sum.since", { at: since })}
        </small>
      </div>
      <section className="sec">
        <div className="sech">
          <h3>{t("planning.signals")}</h3>
          <span className="sp" />
          <span className="r">{t("planning.readApart", { count: signals.length })}</span>
        </div>
        <ul className="sig">
          {signals.map((signal) => (
            <SignalLine key={signal.signal} signal={signal} zone={scope.zone} />
          ))}
        </ul>
      </section>
      <section className="sec">
        <div className="sech">
          <h3>{t("planning.meanwhile")}</h3>
          <span className="sp" />
          <StateMark glyph="pass" family="done">
            {t("planning.unaffected")}
          </StateMark>
        </div>
        <KeyValueList className="wide1">
          <KeyValue term={t("planning.changes")}>{t("planning.changesSince", { count: appointments.changes, at: since })}</KeyValue>
          <KeyValue term={t("planning.sentLate")} wrap>
            <span className="num">{appointments.sentLate}</span>
            <span className="dim">· {t("planning.sentTwice", { count: appointments.sentTwice })}</span>
          </KeyValue>
        </KeyValueList>
      </section>
      <FiveQuestions questions={evidence.questions} />
      <p className="px-4 py-3 dim text-meta">{t("evidence.zone", { zone: scope.zone })}</p>
    </>
  );
}

function SignalLine({ signal, zone }: { signal: Signal; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  const apart = useApart();
  const { mark, glyph } = marks[signal.state];
  const [value, detail] = said();
  return (
    <li className={mark}>
      <Icon name={glyph} />
      <span className="t">{t(signalWords[signal.signal])}</span>
      <span className="v num">{value}</span>
      <span className="d">{detail}</span>
    </li>
  );

  function said() {
    switch (signal.signal) {
      case "BACKLOG":
        return [
          signal.oldestSeconds === null ? t("planning.signalNone") : apart(signal.oldestSeconds * 1000),
          t("planning.signalBacklog", { count: signal.waiting, after: apart(signal.reviewAfterSeconds * 1000) }),
        ];
      case "GIVEN_UP": {
        const word = signal.lastReason ? reasonWords[signal.lastReason] : undefined;
        return [
          t("number", { value: signal.count }),
          signal.count === 0
            ? t("planning.signalNothingGivenUp")
            : word
              ? t(word)
              : t("delivery.reasonCode", { code: signal.lastReason ?? "–" }),
        ];
      }
      case "DISPATCH":
      case "REMINDERS":
        return [
          signal.beatAt ? <Time key="at" at={signal.beatAt} zone={zone} as="seconds" locale={locale} /> : t("planning.signalUnread"),
          signal.silentSeconds === null ? t("worker.state.NEVER") : t("planning.signalBeat", { age: apart(signal.silentSeconds * 1000) }),
        ];
      case "CIRCUIT":
        if (signal.state === "UNREAD") return [t("planning.signalUnread"), t("planning.signalCircuitUnread")];
        return signal.openFor > 0
          ? [t("planning.signalOpen"), t("planning.signalCircuitOpen", { count: signal.openFor })]
          : [
              t("planning.signalClosed"),
              t("planning.signalCircuitClosed", { at: signal.answeredAt ? formatTime(signal.answeredAt, zone, "seconds", locale) : "–" }),
            ];
      case "RETENTION":
        return [t("planning.signalUnread"), t("planning.signalRetentionUnread")];
    }
  }
}
