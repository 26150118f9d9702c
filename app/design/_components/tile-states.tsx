"use client";

import { useTranslations } from "next-intl";
import { deliveryStates } from "@/app/_components/state-dictionary";
import { Tile } from "@/app/_components/tile";
import { PlanningTiles } from "@/app/(staff)/operations/planning/_components/planning-tiles";
import type { PlanningCounts } from "@/server/domain/operations/planning-types";
import { Part } from "./part";
import { at, zone } from "./samples";

const bars = [2, 2, 3, 3, 4, 5, 6, 7, 7, 6, 8, 9];
const none = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const nothing = () => {};
const window24 = { count: 12, lastHour: 3, bars };
const planned: PlanningCounts = {
  applied: window24,
  stale: { ...window24, count: 1, in24h: 4 },
  degraded: { count: 1, lastHour: 1, bars, since: new Date(at - 3_600_000).toISOString() },
  needsDecision: 2,
  waiting: 1,
  daysMax: 31,
  asOf: new Date(at).toISOString(),
};

/** A number as a filter: pressed, at rest, none of it, being counted, and not available with and without the time of the last count. */
export function TileStates() {
  const t = useTranslations();
  const { QUARANTINED, PROCESSED, RETRYABLE, DUPLICATE } = deliveryStates;
  const known = (value: number, window: string) => ({ kind: "known" as const, value, window });
  return (
    <Part name="Tile">
      <div className="tiles border border-line">
        <Tile
          entry={QUARANTINED}
          meaning={t(QUARANTINED.meaning)}
          count={known(7, t("delivery.windowNow", { count: 2 }))}
          bars={bars}
          pressed
          onToggle={nothing}
        />
        <Tile
          entry={PROCESSED}
          meaning={t(PROCESSED.meaning)}
          count={known(1284, t("delivery.window24", { count: 61 }))}
          bars={bars}
          pressed={false}
          onToggle={nothing}
        />
        <Tile
          entry={DUPLICATE}
          meaning={t(DUPLICATE.meaning)}
          count={known(0, t("delivery.window24", { count: 0 }))}
          bars={none}
          pressed={false}
          onToggle={nothing}
        />
        <Tile entry={RETRYABLE} meaning="" count={{ kind: "loading" }} pressed={false} onToggle={nothing} />
      </div>
      <PlanningTiles counts={planned} failed={false} zone={zone} pressed={["STALE_REJECTED"]} onToggle={nothing} />
      <PlanningTiles counts={undefined} failed zone={zone} pressed={["APPLIED"]} onToggle={nothing} />
    </Part>
  );
}
