"use client";

import { useTranslations } from "next-intl";
import type { RunRow } from "@/server/domain/operations/planning-types";
import { endedWord, factGroupWords, phaseWords, staleWords } from "./planning-dictionary";

/** Why a run is where it is: subject, what happened, and the bound. */
export function useRunReason(): (run: RunRow) => string {
  const t = useTranslations();
  return (run) => {
    if (run.unread.length > 0) return t("planning.reason.REVIEW");
    const groups = run.differs.map((group) => t(factGroupWords[group])).join(", ");
    switch (run.runState) {
      case "REQUESTED":
        return t("planning.reason.REQUESTED");
      case "CALCULATING":
        if (run.wanted === "CANCEL") return t("planning.reason.CANCELLING");
        return run.progress
          ? t("planning.reason.CALCULATING", { phase: t(phaseWords[run.progress.phase]) })
          : t("planning.reason.STARTING");
      case "CALCULATED":
        if (groups) return t("planning.reason.CHANGED", { groups });
        return run.moves === 0 ? t("planning.reason.NOTHING_MOVES") : t("planning.reason.UNCHANGED");
      case "RETRYABLE":
        return t("planning.reason.RETRYABLE", { sqlstate: run.sqlstate ?? "–" });
      case "STALE_REJECTED":
        if (run.staleKind === "FACTS" && groups) return t("planning.reason.FACTS", { groups });
        if (run.staleKind === "VERSIONS" && run.behindRef) return t("planning.reason.VERSIONS", { ref: run.behindRef });
        return t(staleWords[run.staleKind ?? "FACTS"]);
      case "APPLIED":
        return t("planning.reason.APPLIED");
      case "DISCARDED":
      case "FAILED": {
        const word = endedWord(run.endedReason);
        return word ? t(word) : t("delivery.reasonCode", { code: run.endedReason ?? "–" });
      }
    }
  };
}
