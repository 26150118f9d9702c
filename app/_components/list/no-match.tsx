"use client";

import { useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { EmptyState } from "@/app/_components/notice";

/** Nothing is as the filters of a queue say: the way back is named. */
export function NoMatch({ onClear }: { onClear(): void }) {
  const t = useTranslations();
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
}
