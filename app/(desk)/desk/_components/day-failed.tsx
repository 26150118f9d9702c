"use client";

import { useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { EmptyState } from "@/app/_components/notice";

/** In place of the desk when no day could be read. */
export function DayFailed({ onRead }: { onRead(): void }) {
  const t = useTranslations();
  return (
    <main className="main full" id="content">
      <EmptyState
        glyph="off"
        title={t("desk.failedTitle")}
        alert
        action={
          <Button size="sm" icon="recalc" onClick={onRead}>
            {t("action.readAgain")}
          </Button>
        }
      >
        {t("delivery.failed")}
      </EmptyState>
    </main>
  );
}
