"use client";

import { useTranslations } from "next-intl";
import { ListFoot } from "@/app/_components/list/list-foot";

/** How much is shown, in which zone its times are, and the keys that work here. */
export function QueueFoot({ updating, shown, total, zones }: { updating: boolean; shown: number; total: number | null; zones: string[] }) {
  const t = useTranslations();
  // the counts are read beside the rows: a row that has just settled may be in sight still
  const words = total === null ? t("delivery.shown", { count: shown }) : t("delivery.shownOf", { shown, count: Math.max(total, shown) });
  return (
    <ListFoot
      shown={updating ? t("delivery.updating") : words}
      zone={zones.length === 1 ? t("evidence.zone", { zone: zones[0] ?? "" }) : t("delivery.manyZones")}
      hints={[
        ["J K", t("delivery.hint.move")],
        ["Enter", t("delivery.hint.open")],
        ["X", t("delivery.hint.select")],
        ["?", t("nav.keys")],
      ]}
    />
  );
}
