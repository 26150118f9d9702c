"use client";

import { useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { buttonClass } from "@/app/_components/button-class";
import type { MessageKey } from "@/app/_i18n/messages";
import type { OfferedPlanningRow, OfferedRun } from "@/server/domain/operations/planning-types";
import type { PlanningAction } from "@/server/domain/planning/next-actions";
import { healthHref } from "./health-href";
import { actionWords } from "./planning-dictionary";

type Props = {
  row: OfferedPlanningRow;
  onOpen(id: string, action: PlanningAction | null): void;
  tabIndex?: number;
  /** Drawn as a button whatever the group, where a thumb must find it. */
  onCard?: boolean;
};

/** The one button of a row. It opens the panel, where the act is confirmed: nothing is changed from within the queue. */
export function PlanningRowButton({ row, onOpen, tabIndex, onCard }: Props) {
  const t = useTranslations();
  if (row.kind === "notification")
    return (
      <a
        className={buttonClass({ size: "sm" })}
        tabIndex={tabIndex}
        href={healthHref(row.clinicRef)}
        aria-label={`${t("next.openHealth")}, ${row.clinicRef}`}
        onClick={(event) => event.stopPropagation()}
      >
        {t("next.openHealth")}
      </a>
    );
  const action = mainAction(row);
  const word = action ? actionWords[action] : readingWord(row);
  const isBordered = onCard || row.group === "DECISION";
  return (
    <Button
      size="sm"
      look={isBordered ? "bordered" : "quiet"}
      className={isBordered ? undefined : "lk"}
      tabIndex={tabIndex}
      aria-label={`${t(word)}, ${row.ref}`}
      onClick={(event) => {
        event.stopPropagation();
        onOpen(row.id, action);
      }}
    >
      {t(word)}
    </Button>
  );
}

/**
 * What the row's own button does, of what may be done now: a plan is applied, a refused one is calculated anew, a running one is watched. A row in review
 * offers its evidence first; a retry shows its lease, time and code first.
 */
export function mainAction({ state, runState, actions, differs }: OfferedRun): PlanningAction | null {
  if (state === "DEGRADED_REVIEW") return null;
  const wanted: PlanningAction[] =
    runState === "STALE_REJECTED" || differs.length > 0 ? ["recalculate"] : runState === "CALCULATED" ? ["apply", "discard"] : [];
  return wanted.find((action) => actions[action].allowed) ?? null;
}

function readingWord({ state, runState }: OfferedRun): MessageKey {
  if (state === "DEGRADED_REVIEW") return "next.openEvidence";
  switch (runState) {
    case "REQUESTED":
    case "CALCULATING":
      return "planning.watch";
    case "RETRYABLE":
      return "planning.inspectRetry";
    case "APPLIED":
      return "next.openResult";
    case "FAILED":
      return "next.investigate";
    default:
      return "next.openEvidence";
  }
}
