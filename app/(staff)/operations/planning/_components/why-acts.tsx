"use client";

import { useTranslations } from "next-intl";
import { Icon } from "@/app/_components/icon";
import type { OfferedRunEvidence } from "@/server/domain/operations/planning-types";
import type { PlanningAction } from "@/server/domain/planning/next-actions";
import { isOffInReview, isOutdated } from "./plan-buttons";
import { actionWords, recalculateWords, whyWords } from "./planning-dictionary";

type Props = { evidence: OfferedRunEvidence; shown: PlanningAction[]; live: boolean };

/** Why the safe act is allowed, and why what is off is off: always beside the buttons. Buttons that are off name `why-off`. */
export function WhyActs({ evidence, shown, live }: Props) {
  const t = useTranslations();
  const { row, actions } = evidence;
  const isReview = row.state === "DEGRADED_REVIEW";
  const off = shown.filter((action) => isOffInReview(isReview, action) || !actions[action].allowed);
  const lines = live ? [] : [t("act.off.old")];
  if (row.runState === "STALE_REJECTED" && row.staleKind) lines.push(t(recalculateWords[row.staleKind]));
  else if (isOutdated(evidence)) lines.push(t("planning.changedMeanwhile"));
  for (const action of off) {
    const decision = actions[action];
    const why = decision.allowed ? t("planning.why.REVIEW") : t(whyWords[decision.why]);
    lines.push(`${t("act.offTitle", { action: t(actionWords[action]) })} ${why}`);
  }
  if (lines.length === 0) return null;
  return (
    <p className="why" id="why-off">
      <Icon name={off.length > 0 || !live ? "lock" : "info"} />
      <span>
        {lines.map((line) => (
          <span key={line} className="block">
            {line}
          </span>
        ))}
      </span>
    </p>
  );
}
