"use client";

import { useLocale, useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { distance, formatTime } from "@/app/_components/time";

export type LiveState = "live" | "paused" | "reconnecting" | "offline";
const marks: Record<LiveState, string | undefined> = { live: undefined, paused: "ps", reconnecting: "rc1", offline: "o" };

/** Whether what is shown is still being read, and from when it is. The age is text, not a live region. */
export function LiveIndicator({
  state,
  lastMs,
  nowMs,
  zone,
  children,
}: {
  state: LiveState;
  lastMs?: number;
  nowMs?: number;
  zone: string;
  children?: ReactNode;
}) {
  const t = useTranslations();
  const locale = useLocale();
  const at = lastMs === undefined ? "–" : formatTime(lastMs, zone, "seconds", locale);
  const age = lastMs === undefined || nowMs === undefined ? undefined : distance(nowMs - lastMs);
  return (
    <span className="live">
      <i className={marks[state]} aria-hidden="true" />
      {state === "live" && (age ? t("live.live", { age: t(`time.short.${age.unit}`, { count: age.count }) }) : t("live.reading"))}
      {state === "paused" && t("live.paused", { at })}
      {state === "reconnecting" && t("live.reconnecting", { at })}
      {state === "offline" && t("live.offline", { at })}
      {children}
    </span>
  );
}
