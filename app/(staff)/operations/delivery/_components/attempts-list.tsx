"use client";

import { useLocale, useTranslations } from "next-intl";
import { reasonWords } from "@/app/_components/reason-dictionary";
import { deliveryStates } from "@/app/_components/state-dictionary";
import { Time } from "@/app/_components/time";
import type { MessageKey } from "@/app/_i18n/messages";
import type { Attempt, Call } from "@/server/domain/operations/delivery-evidence";

const marks: Record<Attempt["outcome"], string> = { PROCESSED: "o", DUPLICATE: "d", RETRYABLE: "w", QUARANTINED: "h", FENCED: "d" };
const callWords: Record<Call["outcome"], MessageKey> = {
  FIRST: "call.FIRST",
  REPLAYED: "call.REPLAYED",
  REUSED: "call.REUSED",
  IN_PROGRESS: "call.IN_PROGRESS",
  OVERLOADED: "call.OVERLOADED",
};

/** Arrivals and attempts as they were recorded, oldest first. */
export function AttemptsList({ deliveries, zone }: { deliveries: Attempt[]; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  return (
    <ol className="att">
      {deliveries.map((attempt) => {
        const word = attempt.reasonCode ? reasonWords[attempt.reasonCode] : undefined;
        const words = word ? t(word) : attempt.reasonCode ? t("delivery.reasonCode", { code: attempt.reasonCode }) : null;
        const outcome = t(deliveryStates[attempt.outcome].label);
        return (
          <li key={`${attempt.at}.${attempt.outcome}.${attempt.offset}`}>
            <span className="nd">
              <i className={marks[attempt.outcome]} aria-hidden="true" />
            </span>
            <span className="dim num">
              <Time at={attempt.at} zone={zone} as="seconds" locale={locale} />
            </span>
            <span title={`${attempt.worker}, ${words ?? outcome}`}>
              <span className="sr">{outcome}: </span>
              {words ?? outcome}
            </span>
            <span className="dim num">{t("evidence.ms", { count: attempt.durationMs })}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** Calls under the key of the command: first, answered from the stored result, or refused. */
export function CallsList({ calls, zone }: { calls: Call[]; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  return (
    <ol className="att">
      {calls.map((call) => (
        <li key={`${call.at}.${call.requestId}`}>
          <span className="nd">
            <i className={call.outcome === "FIRST" ? "o" : "d"} aria-hidden="true" />
          </span>
          <span className="dim num">
            <Time at={call.at} zone={zone} as="seconds" locale={locale} />
          </span>
          <span title={call.requestId}>{t(callWords[call.outcome], { status: call.status })}</span>
          <span className="dim num">{t("evidence.ms", { count: call.durationMs })}</span>
        </li>
      ))}
    </ol>
  );
}
