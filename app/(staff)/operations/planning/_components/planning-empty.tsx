"use client";

import { useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { EmptyState } from "@/app/_components/notice";

/** Empty is good news with what still waits; no match names the way back. */
export function PlanningEmpty({ filtered, waiting, onClear }: { filtered: boolean; waiting: number; onClear(): void }) {
  const t = useTranslations();
  if (filtered)
    return (
      <EmptyState
        glyph="filter"
        title={t("delivery.noMatchTitle")}
        action={
          <Button size="sm" onClick={onClear}>
            {t("delivery.clear")}
          </Button>
        }
      >
        {t("delivery.noMatch")}
      </EmptyState>
    );
  return (
    <EmptyState glyph="check" title={t("delivery.emptyTitle")}>
      {t("planning.empty", { count: waiting })}
    </EmptyState>
  );
}
