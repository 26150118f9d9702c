"use client";

import { useTranslations } from "next-intl";
import { NoMatch } from "@/app/_components/list/no-match";
import { EmptyState } from "@/app/_components/notice";
import { distance, epochMs } from "@/app/_components/time";
import type { DeliveryCounts } from "@/server/domain/operations/delivery-counts";

type Props = { filtered: boolean; counts: DeliveryCounts | undefined; nowMs: number | undefined; onClear(): void };

/** Empty is good news with what still waits; no match names the way back. */
export function QueueEmpty({ filtered, counts, nowMs, onClear }: Props) {
  const t = useTranslations();
  if (filtered) return <NoMatch onClear={onClear} />;
  const apart = counts?.nextAttemptAt && nowMs !== undefined ? distance(epochMs(counts.nextAttemptAt) - nowMs) : undefined;
  return (
    <EmptyState glyph="check" title={t("delivery.emptyTitle")}>
      {apart
        ? t("delivery.emptyWaiting", { count: counts?.waiting ?? 0, time: t(`time.in.${apart.unit}`, { count: apart.count }) })
        : t("delivery.empty")}
    </EmptyState>
  );
}
