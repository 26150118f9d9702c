"use client";

import clsx from "clsx";
import { useLocale, useTranslations } from "next-intl";
import { useEffect, useRef } from "react";
import { Button } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { Identity } from "@/app/_components/ref";
import { formatExactTime, formatTime } from "@/app/_components/time";
import type { MessageKey } from "@/app/_i18n/messages";
import type { PendingCommand } from "./pending-command";
import type { Try } from "./use-keyed-command";

const ends: Record<Try["end"], MessageKey> = {
  SENDING: "retry.sending",
  NO_ANSWER: "retry.noAnswer",
  TOLD_TO_WAIT: "retry.toldToWait",
  NOT_STORED: "retry.notStored",
};

type Props = { pending: PendingCommand; tries: Try[]; sending: boolean; zone: string; onRetry(): void; onLookUp(): void };

/**
 * Sent, and no answer came. The key was stored before the first send, so the same command may go out again without changing anything twice.
 * Above the action, announced at once; it never says "submit again".
 */
export function SafeRetry({ pending, tries, sending, zone, onRetry, onLookUp }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const retryButton = useRef<HTMLButtonElement>(null);
  useEffect(() => retryButton.current?.focus(), []);
  return (
    <>
      <div className="safe" role="alert">
        <div className="h">
          <Icon name="off" />
          <p>
            <b>{t("retry.title")}</b>
            {t("retry.text")}
          </p>
        </div>
        <ol>
          {tries.slice(-4).map((one, i, shown) => (
            <li key={one.atMs} className={clsx(one.end === "SENDING" && "go")}>
              <Icon name={one.end === "SENDING" ? "run" : one.end === "NOT_STORED" ? "search" : "x"} />
              <span className="tm">{formatTime(one.atMs, zone, "seconds", locale)}</span>
              {t(ends[one.end])}
              <span>{i === 0 && shown.length === tries.length ? <KeyName value={pending.key} /> : t("retry.sameKey")}</span>
            </li>
          ))}
        </ol>
      </div>
      <div className="act">
        <div className="rowb">
          <Button ref={retryButton} look="primary" size="lg" icon="recalc" className="grow" busy={sending} onClick={onRetry}>
            {t("retry.now")}
          </Button>
          <Button size="lg" busy={sending} onClick={onLookUp}>
            {t("retry.lookUp")}
          </Button>
        </div>
        <p className="why dim">{t("retry.kept", { until: formatExactTime(pending.keptUntil, zone, "dayClock", locale) })}</p>
      </div>
    </>
  );
}

function KeyName({ value }: { value: string }) {
  const t = useTranslations();
  return (
    <>
      {t("retry.key")} <Identity value={value} head={4} tail={4} />
    </>
  );
}
