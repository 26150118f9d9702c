"use client";

import { useTranslations } from "next-intl";

/** A duration as text: "178 ms", "8.7 s", "1 min 11 s", "2 h 5 min", "3 d". */
export function useApart(): (milliseconds: number) => string {
  const t = useTranslations();
  return (milliseconds) => {
    const ms = Math.max(0, Math.round(milliseconds));
    if (ms < 1000) return t("story.apart.ms", { count: ms });
    if (ms < 10_000) return t("story.apart.s", { count: Math.round(ms / 100) / 10 });
    const seconds = Math.round(ms / 1000);
    if (seconds < 60) return t("story.apart.s", { count: seconds });
    if (seconds < 3600) return t("story.apart.min", { count: Math.floor(seconds / 60), seconds: seconds % 60 });
    const minutes = Math.round(seconds / 60);
    if (minutes < 48 * 60) return t("story.apart.h", { count: Math.floor(minutes / 60), minutes: minutes % 60 });
    return t("story.apart.d", { count: Math.floor(minutes / 1440) });
  };
}
