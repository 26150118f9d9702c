"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { IconButton } from "@/app/_components/button";

/** A filter that is set, with the button that takes it away. `of` names it where the name alone would not. */
export function FilterChip({ name, of, children, onRemove }: { name: string; of?: string; children: ReactNode; onRemove(): void }) {
  const t = useTranslations();
  return (
    <span className="chip">
      {name} <b>{children}</b>
      <IconButton name="x" label={t("delivery.removeFilter", { name: of ?? name })} onClick={onRemove} />
    </span>
  );
}
