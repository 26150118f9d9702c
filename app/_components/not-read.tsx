"use client";

import { useLocale, useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { Button } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { formatTime, type Instant } from "@/app/_components/time";

/** Older than this, what is shown is no ground to act on. */
const staleAfterMs = 30_000;

/** Whether a reading has become too old to act on. `reading` names it (its moment); the time counts from its arrival here, whatever the clocks say. */
export function useIsStale(reading: number | undefined): boolean {
  const [staleOf, setStaleOf] = useState<number>();
  useEffect(() => {
    if (reading === undefined) return;
    const timer = setTimeout(() => setStaleOf(reading), staleAfterMs);
    return () => clearTimeout(timer);
  }, [reading]);
  return reading !== undefined && staleOf === reading;
}

/** What is shown could not be read again: from when it is, and that nothing can be done with it. Buttons that are off name `not-read`. */
export function NotRead({ at, zone, onRead }: { at: Instant; zone: string; onRead(): void }) {
  const t = useTranslations();
  const locale = useLocale();
  return (
    <div className="chg" role="alert">
      <span className="h">
        <Icon name="off" />
        <b>{t("live.notRead", { at: formatTime(at, zone, "seconds", locale) })}</b>
      </span>
      <p id="not-read">{t("live.actionsOff")}</p>
      <Button size="sm" icon="recalc" onClick={onRead}>
        {t("action.readAgain")}
      </Button>
    </div>
  );
}
