"use client";

import { useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { Sheet } from "@/app/_components/sheet";

/** What could not be read, that nothing was changed, and one action. The digest is the code under which the log has it. */
export default function PageError({ error, reset }: { error: Error & { digest?: string }; reset(): void }) {
  const t = useTranslations();
  return (
    <Sheet title={t("error.title")} text={t("error.text", { code: error.digest ?? "–" })}>
      <Button icon="recalc" onClick={reset}>
        {t("action.readAgain")}
      </Button>
    </Sheet>
  );
}
