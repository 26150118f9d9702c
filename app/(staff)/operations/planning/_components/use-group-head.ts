"use client";

import { useTranslations } from "next-intl";
import type { GroupHead } from "@/app/_components/list/grouped-rows";
import type { MessageKey } from "@/app/_i18n/messages";
import type { PlanningCounts } from "@/server/domain/operations/planning-types";
import type { QueueGroup } from "@/server/domain/operations/types";

const groupWords: Record<QueueGroup, MessageKey> = {
  DECISION: "delivery.group.DECISION",
  WAITING: "delivery.group.WAITING",
  SETTLED: "planning.group.SETTLED",
};

/** Titles of the groups with how many each has. `isPart`: a filter shows a part of the queue, of which the counts say nothing. */
export function useGroupHead(counts: PlanningCounts | undefined, isPart: boolean): GroupHead {
  const t = useTranslations();
  const countOf = ({ needsDecision, waiting, applied }: PlanningCounts): Record<QueueGroup, string> => ({
    DECISION: t("number", { value: needsDecision }),
    WAITING: t("number", { value: waiting }),
    SETTLED: t("planning.appliedIn24h", { count: applied.count }),
  });
  return (group) => ({ title: t(groupWords[group]), count: counts && !isPart ? countOf(counts)[group] : null });
}
