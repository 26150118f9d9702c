"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { buttonClass } from "@/app/_components/button-class";
import { Icon } from "@/app/_components/icon";
import { ReadAgain } from "@/app/_components/list/list-body";
import { PanelHead } from "@/app/_components/list/panel-head";
import { NotRead, useIsStale } from "@/app/_components/not-read";
import { EmptyState, SkeletonRows } from "@/app/_components/notice";
import { StateWord } from "@/app/_components/state";
import { planningStates } from "@/app/_components/state-dictionary";
import { useTRPC } from "@/app/_trpc/client";
import type { PlanningAction } from "@/server/domain/planning/next-actions";
import { healthHref } from "./health-href";
import { NotificationBody } from "./notification-body";
import { PlanActions } from "./plan-actions";
import { RunBody } from "./run-body";
import type { ChosenMoves } from "./use-chosen-moves";
import type { PlanAnswer } from "./use-plan-act";

type Props = {
  id: string;
  clinic: string | undefined;
  online: boolean;
  /** The action that was asked for with the row. */
  wanted: PlanningAction | null;
  /** False when an act has moved on to this row: the focus is on the row then. */
  takesFocus: boolean;
  chosen: ChosenMoves;
  onStarted(): void;
  onClose(): void;
  onStep(by: 1 | -1): void;
  onOpen(id: string): void;
  onDone(id: string, action: PlanningAction, answer: PlanAnswer): void;
};

/** Evidence of one row, read when it opens and again while it is looked at; what may be done about it stands below. */
export function PlanningPanel({ id, clinic, online, wanted, takesFocus, chosen, onStarted, onClose, onStep, onOpen, onDone }: Props) {
  const t = useTranslations();
  const trpc = useTRPC();
  const query = useQuery(
    trpc.planningViews.evidence.queryOptions(
      { clinic, id },
      {
        staleTime: 0,
        refetchInterval: (of) => {
          const row = of.state.data?.row;
          return row?.state === "REQUESTED" || row?.state === "CALCULATING" ? 1_500 : 10_000;
        },
      },
    ),
  );
  const evidence = query.data;
  const isStale = useIsStale(query.dataUpdatedAt);
  const storyOf = evidence?.kind === "run" ? (evidence.applied?.commandId ?? evidence.asked.commandId) : null;
  return (
    <aside className="ev" aria-labelledby="evidence-heading">
      <PanelHead
        of={id}
        takesFocus={takesFocus}
        title={evidence ? (evidence.kind === "run" ? evidence.row.ref : t("planning.messages")) : t("evidence.title")}
        state={evidence && <StateWord entry={planningStates[evidence.row.state]} pill />}
        story={storyOf && `/operations/stories/${storyOf}${clinic ? `?clinic=${encodeURIComponent(clinic)}` : ""}`}
        onClose={onClose}
        onStep={onStep}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard */}
      <section className="evb" tabIndex={0} aria-label={t("evidence.title")}>
        {evidence && isStale && <NotRead at={evidence.asOf} zone={evidence.scope.zone} onRead={() => query.refetch()} />}
        {evidence?.kind === "run" && <RunBody evidence={evidence} clinic={clinic} chosen={chosen} onOpen={onOpen} />}
        {evidence?.kind === "notification" && <NotificationBody evidence={evidence} />}
        {query.isPending && <SkeletonRows rows={4} label={t("evidence.reading")} />}
        {query.isError && !evidence && (
          <EmptyState glyph="off" title={t("evidence.failedTitle")} alert action={<ReadAgain onClick={() => query.refetch()} />}>
            {t("evidence.failed")}
          </EmptyState>
        )}
        {evidence === null && (
          <EmptyState glyph="search" title={t("planning.goneTitle")}>
            {t("planning.goneText")}
          </EmptyState>
        )}
      </section>
      {evidence?.kind === "run" && (
        <PlanActions
          key={id}
          evidence={evidence}
          live={online && !isStale}
          wanted={wanted}
          chosen={chosen}
          onStarted={onStarted}
          onReadAgain={() => query.refetch()}
          onOpen={onOpen}
          onDone={(action, answer) => {
            query.refetch();
            onDone(id, action, answer);
          }}
        />
      )}
      {evidence?.kind === "notification" && (
        <div className="act">
          <p className="why">
            <Icon name="info" />
            <span>{t("planning.reviewEnds")}</span>
          </p>
          <div className="rowb">
            <a className={buttonClass({ look: "primary", size: "lg" }, "grow")} href={healthHref(evidence.row.clinicRef)}>
              <Icon name="evidence" />
              {t("next.openHealth")}
            </a>
          </div>
        </div>
      )}
    </aside>
  );
}
