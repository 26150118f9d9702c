"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { ReadAgain } from "@/app/_components/list/list-body";
import { PanelHead } from "@/app/_components/list/panel-head";
import { NotRead, useIsStale } from "@/app/_components/not-read";
import { EmptyState, SkeletonRows } from "@/app/_components/notice";
import { StateWord } from "@/app/_components/state";
import { useTRPC } from "@/app/_trpc/client";
import type { DeliveryAction } from "@/server/domain/inbox/next-actions";
import { ActArea } from "./act-area";
import { EvidenceBody } from "./evidence-body";
import { ReviewActs, ReviewChecks, useReplayOfRow, useReview } from "./replay/replay-review";
import { reviewedRow } from "./replay/reviewed-row";
import { RowReplay } from "./replay/row-replay";
import type { Act, ActAnswer } from "./use-act";
import { noVisitWord, queueStates } from "./words";

type Props = {
  id: string;
  clinic: string | undefined;
  online: boolean;
  /** The action that was asked for with the row. */
  wanted: DeliveryAction | null;
  /** False when an act has moved on to this row: the focus is on the row then. */
  takesFocus: boolean;
  onStarted(): void;
  onClose(): void;
  onStep(by: 1 | -1): void;
  onOpen(id: string): void;
  onDone(id: string, action: Act["action"], answer: ActAnswer): void;
};

/** Evidence of one row, read when it opens and again every 10 s: sentence, identities, calls, attempts, notification. */
export function EvidencePanel({ id, clinic, online, wanted, takesFocus, onStarted, onClose, onStep, onOpen, onDone }: Props) {
  const t = useTranslations();
  const trpc = useTRPC();
  const query = useQuery(trpc.delivery.evidence.queryOptions({ clinic, id }, { staleTime: 0, refetchInterval: 10_000 }));
  const evidence = query.data;
  const isStale = useIsStale(query.dataUpdatedAt);
  const row = evidence ? reviewedRow(evidence) : null;
  const review = useReview(row);
  const replayed = useReplayOfRow(row?.inboxId ?? null, clinic);
  const [keepFor, setKeepFor] = useState<string | null>(null);
  const ended = replayed.data?.endedAt;
  // an approval ends the review: what became of the row, and what can be done with it now, take the place of the checks
  const approved = review.approved;
  const [approvedHere, setApprovedHere] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only an approval ends it
  useEffect(() => {
    if (!approved) return;
    setApprovedHere(approved);
    review.close();
  }, [approved]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a replay that has ended has changed the row
  useEffect(() => {
    if (ended) query.refetch();
  }, [ended]);
  return (
    <aside className="ev" aria-labelledby="evidence-heading">
      <PanelHead
        of={id}
        takesFocus={takesFocus}
        title={evidence?.appointment?.ref ?? (evidence ? t(noVisitWord(evidence.kind)) : t("evidence.title"))}
        state={evidence && <StateWord entry={queueStates[evidence.state]} pill />}
        story={evidence?.commandId && `/operations/stories/${evidence.commandId}${clinic ? `?clinic=${encodeURIComponent(clinic)}` : ""}`}
        onClose={onClose}
        onStep={onStep}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard */}
      <section className="evb" tabIndex={0} aria-label={t("evidence.title")}>
        {evidence && isStale && <NotRead at={evidence.asOf} zone={evidence.scope.zone} onRead={() => query.refetch()} />}
        {replayed.data && <RowReplay job={replayed.data} takesFocus={replayed.data.requestId === approvedHere} />}
        {evidence && <EvidenceBody evidence={evidence} onOpen={onOpen} />}
        {review.isOpen && <ReviewChecks review={review} />}
        {query.isPending && <SkeletonRows rows={4} label={t("evidence.reading")} />}
        {query.isError && !evidence && (
          <EmptyState glyph="off" title={t("evidence.failedTitle")} alert action={<ReadAgain onClick={() => query.refetch()} />}>
            {t("evidence.failed")}
          </EmptyState>
        )}
        {evidence === null && (
          <EmptyState glyph="search" title={t("evidence.goneTitle")}>
            {t("evidence.gone")}
          </EmptyState>
        )}
      </section>
      {review.isOpen && (
        <ReviewActs
          review={review}
          live={online && !isStale}
          onKeep={() => {
            review.close();
            setKeepFor(id);
          }}
        />
      )}
      {evidence && !review.isOpen && (
        <ActArea
          id={id}
          clinicRef={evidence.scope.clinicRef}
          zone={evidence.scope.zone}
          state={evidence.state}
          work={evidence.work}
          asOf={evidence.asOf}
          readAtMs={query.dataUpdatedAt}
          live={online && !isStale}
          wanted={keepFor === id ? "keepQuarantined" : wanted}
          onStarted={() => {
            setKeepFor(null);
            onStarted();
          }}
          onReadAgain={() => query.refetch()}
          onReviewReplay={review.open}
          onDone={(action, answer) => {
            query.refetch();
            onDone(id, action, answer);
          }}
        />
      )}
    </aside>
  );
}
