"use client";

import { useTranslations } from "next-intl";
import { NoMatch } from "@/app/_components/list/no-match";
import { EmptyState } from "@/app/_components/notice";

/** Empty is good news with what still waits; no match names the way back. */
export function PlanningEmpty({ filtered, waiting, onClear }: { filtered: boolean; waiting: number; onClear(): void }) {
  const t = useTranslations();
  if (filtered) return <NoMatch onClear={onClear} />;
  return (
    <EmptyState glyph="check" title={t("delivery.emptyTitle")}>
      {t("planning.empty", { count: waiting })}
    </EmptyState>
  );
}
