"use client";

import { useTranslations } from "next-intl";
import { ListFoot } from "@/app/_components/list/list-foot";

/** How much is shown, in which zone its times are, and the keys that work here. */
export function QueueFoot({ updating, shown, zones }: { updating: boolean; shown: number; zones: string[] }) {
  const t = useTranslations();
  return (
    <ListFoot
      shown={updating ? t("delivery.updating") : t("delivery.shown", { count: shown })}
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
