"use client";

import { useLocale, useTranslations } from "next-intl";
import { planningStates } from "@/app/_components/state-dictionary";
import { Tile } from "@/app/_components/tile";
import { formatTime } from "@/app/_components/time";
import type { PlanningCounts, PlanningTile } from "@/server/domain/operations/planning-types";
import { tileStates } from "./planning-dictionary";
import { tileOrder } from "./planning-url";

type Props = {
  counts: PlanningCounts | undefined;
  failed: boolean;
  zone: string;
  pressed: PlanningTile[];
  onToggle(tile: PlanningTile): void;
};

/** Three numbers counted from the records, each a filter. Applied is of 24 hours, refused and degraded are open now. */
export function PlanningTiles({ counts, failed, zone, pressed, onToggle }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const of = { APPLIED: counts?.applied, STALE_REJECTED: counts?.stale, DEGRADED: counts?.degraded };
  const windowOf = (tile: PlanningTile, { applied, stale, degraded }: PlanningCounts): string => {
    switch (tile) {
      case "APPLIED":
        return t("planning.window.applied", { count: applied.lastHour });
      case "STALE_REJECTED":
        return t("planning.window.stale", { count: stale.in24h });
      case "DEGRADED":
        return degraded.since
          ? t("planning.window.degraded", { at: formatTime(degraded.since, zone, "clock", locale) })
          : t("planning.window.open");
    }
  };
  return (
    <section className="tiles three" aria-label={t("delivery.tiles")}>
      {tileOrder.map((tile) => {
        const entry = planningStates[tileStates[tile]];
        const count = of[tile];
        return (
          <Tile
            key={tile}
            entry={tile === "DEGRADED" ? { ...entry, label: "planning.degraded" } : entry}
            meaning={t(tile === "DEGRADED" ? "planning.degradedMeaning" : entry.meaning)}
            count={
              counts && count
                ? { kind: "known", value: count.count, window: windowOf(tile, counts) }
                : failed
                  ? { kind: "unknown" }
                  : { kind: "loading" }
            }
            bars={count?.bars}
            pressed={pressed.includes(tile)}
            onToggle={() => onToggle(tile)}
          />
        );
      })}
    </section>
  );
}
