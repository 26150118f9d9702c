"use client";

import { useTranslations } from "next-intl";
import { epochMs } from "@/app/_components/time";
import { useServerNow } from "@/app/_components/use-now";
import { useApart } from "@/app/(staff)/operations/stories/_components/use-apart";
import type { RunRow } from "@/server/domain/operations/planning-types";
import { phaseWords } from "./planning-dictionary";

/** How much of its time a calculation has used and what it has found; the value is in the words too. */
export function RunProgressBar({ row, asOf }: { row: RunRow; asOf: string }) {
  const t = useTranslations();
  const apart = useApart();
  const nowMs = useServerNow(epochMs(asOf), undefined) ?? epochMs(asOf);
  const usedMs = row.startedAt ? Math.min(row.timeLimitMs, Math.max(0, nowMs - epochMs(row.startedAt))) : 0;
  const share = Math.round((usedMs / row.timeLimitMs) * 100);
  const { progress } = row;
  return (
    <div className="calc1">
      <div
        className="bar1"
        role="progressbar"
        aria-label={t("planning.progress")}
        aria-valuenow={share}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i style={{ width: `${share}%` }} />
      </div>
      <p className="why">
        {!row.startedAt
          ? t("planning.waitsForSolver")
          : t("planning.progressWords", {
              phase: progress ? t(phaseWords[progress.phase]) : t("planning.phase.read"),
              used: apart(Math.floor(usedMs / 1000) * 1000),
              limit: apart(row.timeLimitMs),
            })}{" "}
        {progress && t("planning.progressFound", { cost: progress.cost, bound: progress.bound, open: progress.unassigned })}
      </p>
    </div>
  );
}
