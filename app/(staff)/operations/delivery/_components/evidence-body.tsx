"use client";

import { useLocale, useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { reasonWords } from "@/app/_components/reason-dictionary";
import { StateWord } from "@/app/_components/state";
import { notificationStates, outboxStates } from "@/app/_components/state-dictionary";
import { formatTime, Time } from "@/app/_components/time";
import type { DeliveryEvidence } from "@/server/domain/operations/delivery-evidence";
import type { DeliveryWork } from "@/server/domain/operations/delivery-work";
import { AttemptsList, CallsList } from "./attempts-list";
import { EvidenceIdentities } from "./evidence-identities";
import { EarlierDelivery } from "./replay/earlier-delivery";
import { TouchedList } from "./touched-list";
import { plainReasons } from "./words";
import { WorkNotes } from "./work-notes";

/** What is stored about one row and what STAFF did about it, in sections. */
export function EvidenceBody({ evidence, onOpen }: { evidence: DeliveryEvidence & { work: DeliveryWork }; onOpen(id: string): void }) {
  const t = useTranslations();
  const locale = useLocale();
  const { zone } = evidence.scope;
  return (
    <>
      <Summary evidence={evidence} />
      <section className="sec">
        <EvidenceIdentities evidence={evidence} />
        {evidence.blockedBy && (
          <Button size="sm" className="mt-2" onClick={() => onOpen(`inbox.${evidence.blockedBy}`)}>
            {t("next.openBlocker")}
          </Button>
        )}
      </section>
      <WorkNotes work={evidence.work} zone={zone} />
      {evidence.deliveries.length > 0 && (
        <section className="sec">
          <div className="sech">
            <h3>{t("evidence.attempts")}</h3>
            <span className="sp" />
            {evidence.attempts !== null && evidence.attemptsMax !== null && (
              <span className="r num">{t("attempts.of", { used: evidence.attempts, max: evidence.attemptsMax })}</span>
            )}
          </div>
          <AttemptsList deliveries={evidence.deliveries} zone={zone} />
        </section>
      )}
      {evidence.calls.length > 0 && (
        <section className="sec">
          <div className="sech">
            <h3>{t("evidence.calls")}</h3>
            <span className="sp" />
            <span className="r num">{t("delivery.calls", { count: evidence.calls.length })}</span>
          </div>
          <CallsList calls={evidence.calls} zone={zone} />
        </section>
      )}
      {evidence.publication && (
        <section className="sec">
          <div className="sech">
            <h3>{t("evidence.publication")}</h3>
            <span className="sp" />
            <StateWord entry={outboxStates[evidence.publication.state as keyof typeof outboxStates]} />
          </div>
          <p className="dim num text-meta">
            {evidence.publication.publishedAt ? (
              <Time at={evidence.publication.publishedAt} zone={zone} as="daySeconds" locale={locale} />
            ) : (
              <Time at={evidence.publication.occurredAt} zone={zone} as="daySeconds" locale={locale} />
            )}
          </p>
          {evidence.publication.leftAt && (
            <p className="dim text-meta">
              <Time at={evidence.publication.leftAt} zone={zone} as="daySeconds" locale={locale} />, {t("evidence.left")}
            </p>
          )}
        </section>
      )}
      {evidence.notifications.length > 0 && (
        <section className="sec">
          <div className="sech">
            <h3>{t("evidence.notifications")}</h3>
          </div>
          <ul className="grid gap-1">
            {evidence.notifications.map((sent) => (
              <li key={`${sent.kind}.${sent.at}`} className="flex items-center gap-2">
                <StateWord entry={notificationStates[sent.state as keyof typeof notificationStates]} />
                <span className="dim ml-auto num text-meta">
                  <Time at={sent.at} zone={zone} as="seconds" locale={locale} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {evidence.touched.length > 0 && <TouchedList touched={evidence.touched} zone={zone} />}
      <p className="px-4 py-3 dim text-meta">{t("evidence.zone", { zone })}</p>
    </>
  );
}

/** Sentence first: whether the appointment changed and what was sent, counted; then why the row is where it is. */
function Summary({ evidence }: { evidence: DeliveryEvidence }) {
  const t = useTranslations();
  const locale = useLocale();
  const sent = evidence.notifications.filter((notification) => notification.state === "SENT").length;
  const word = evidence.reasonCode ? reasonWords[evidence.reasonCode] : undefined;
  const isDuplicate = evidence.state === "DUPLICATE";
  const first = isDuplicate ? evidence.deliveries.find(({ outcome }) => outcome === "PROCESSED") : undefined;
  const firstCall = isDuplicate ? evidence.calls.find(({ outcome }) => outcome === "FIRST") : undefined;
  return (
    <div className="sum">
      {t("evidence.changes", { count: evidence.changes.length })} {t("evidence.sent", { count: sent })}
      <small>
        {evidence.stoppedAt && (
          <>
            {t("delivery.stopped")} <Time at={evidence.stoppedAt} zone={evidence.scope.zone} as="clock" locale={locale} />.{" "}
          </>
        )}
        {word
          ? t(word)
          : evidence.reasonCode
            ? t("delivery.reasonCode", { code: evidence.reasonCode })
            : t(evidence.kind === "command" ? "delivery.plain.COMMAND" : plainReasons[evidence.state])}
        {evidence.kind === "delivery" && first && (
          <>
            {" "}
            <EarlierDelivery {...first} zone={evidence.scope.zone} />
          </>
        )}
        {evidence.kind === "command" &&
          firstCall &&
          ` ${t("evidence.firstAnswered", { at: formatTime(firstCall.at, evidence.scope.zone, "daySeconds", locale), status: firstCall.status })}`}
      </small>
    </div>
  );
}
