"use client";

import { useLocale, useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { appointmentStates } from "@/app/_components/state-dictionary";
import { formatExactTime } from "@/app/_components/time";
import type { MessageKey } from "@/app/_i18n/messages";
import type { HistoryEntry } from "@/server/domain/appointments/history";
import { changeWords } from "./visit-history";

const titles: Record<HistoryEntry["source"], MessageKey> = {
  DESK: "visit.changedBy.DESK",
  API: "visit.changedBy.API",
  IMPORT: "visit.changedBy.IMPORT",
  WORKER: "visit.changedBy.WORKER",
};

/** Somebody else changed what is open here: when, from where and to what. What is typed stays; acting waits until it was read again. */
export function ChangedElsewhere({ entry, zone, onRead }: { entry: HistoryEntry; zone: string; onRead(): void }) {
  const t = useTranslations();
  const locale = useLocale();
  const change = changeWords[entry.change];
  const to =
    entry.change === "RESCHEDULED"
      ? formatExactTime(entry.toStartsAt, zone, "dayClock", locale)
      : t(appointmentStates[entry.toStatus].label);
  return (
    <div className="chg" role="alert">
      <span className="h">
        <Icon name="warn" />
        <b>{t(titles[entry.source], { at: formatExactTime(entry.at, zone, "clock", locale) })}</b>
      </span>
      <p id="changed-elsewhere">
        {change ? `${t(change)}: ${to}. ` : ""}
        {t("visit.readBeforeDeciding")}
      </p>
      <Button size="sm" icon="recalc" onClick={onRead}>
        {t("action.readAgain")}
      </Button>
    </div>
  );
}
