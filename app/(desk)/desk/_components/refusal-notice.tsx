"use client";

import { useTranslations } from "next-intl";
import { useEffect, useRef } from "react";
import { Icon } from "@/app/_components/icon";
import type { Blocker } from "@/server/domain/clinics/types";
import { BlockerList } from "./blocker-list";
import { problemWords } from "./problem-words";

/** What was refused and why, by name; nothing was changed. Announced and focused, because it answers an act. */
export function RefusalNotice({ refusal, zone }: { refusal: Record<string, unknown> & { code?: string }; zone: string }) {
  const t = useTranslations();
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refusal is read, also one that says the same
  useEffect(() => box.current?.focus(), [refusal]);
  const word = refusal.code ? problemWords[refusal.code] : undefined;
  const blockers = Array.isArray(refusal.blockers) ? (refusal.blockers as Blocker[]) : [];
  return (
    <div ref={box} className="blk3 mx-4 mt-3" role="alert" tabIndex={-1}>
      <span className="h">
        <Icon name="fail" />
        {word ? t(word) : t("problem.other", { code: refusal.code ?? "–" })}
      </span>
      {blockers.length > 0 && <BlockerList blockers={blockers} zone={zone} />}
      <p className="pl-5 text-meta text-2nd">{t("problem.nothingChanged")}</p>
    </div>
  );
}
