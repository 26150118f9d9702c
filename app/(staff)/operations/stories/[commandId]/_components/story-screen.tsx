"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useLocale, useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { CopyButton } from "@/app/_components/key-value";
import { EmptyState, SkeletonRows } from "@/app/_components/notice";
import { Identity, Ref } from "@/app/_components/ref";
import { StateMark, StateWord } from "@/app/_components/state";
import { auditResults, deliveryStates, type StateEntry } from "@/app/_components/state-dictionary";
import { epochMs, Time } from "@/app/_components/time";
import { useServerNow } from "@/app/_components/use-now";
import { useTRPC } from "@/app/_trpc/client";
import type { StoryHead } from "@/server/domain/operations/story-types";
import { isOfFacts, operationWords } from "../../_components/story-dictionary";
import { ExportStory } from "./export-story";
import { StoryGraph } from "./story-graph";
import { isStopped, StoryOpenWork } from "./story-open";

const everyMs = 5_000;

/** One command: how often it arrived, what it changed and sent, and every record of it in the order of time. */
export function StoryScreen({ commandId, clinic }: { commandId: string; clinic: string | undefined }) {
  const t = useTranslations();
  const trpc = useTRPC();
  const input = { clinic, commandId };
  const isOpen = (head: StoryHead | null | undefined) => (head?.open.length ?? 0) > 0;
  const head = useQuery(
    trpc.stories.head.queryOptions(input, { refetchInterval: (query) => (isOpen(query.state.data) ? everyMs : false), staleTime: 0 }),
  );
  const parts = useInfiniteQuery({
    ...trpc.stories.records.infiniteQueryOptions(input, { getNextPageParam: (part) => part.next ?? undefined, initialCursor: null }),
    refetchInterval: isOpen(head.data) ? everyMs : false, // work that goes on adds records; a finished story stands still
    staleTime: 0,
  });
  const records = parts.data?.pages.flatMap((part) => part.records) ?? [];
  const nowMs = useServerNow(head.data ? epochMs(head.data.asOf) : undefined, head.dataUpdatedAt);
  if (!head.data) {
    return (
      <Body>
        {head.isPending && <SkeletonRows rows={8} label={t("story.reading")} />}
        {head.isError && (
          <EmptyState
            glyph="off"
            title={t("story.failedTitle")}
            alert
            action={
              <Button size="sm" icon="recalc" onClick={() => head.refetch()}>
                {t("action.readAgain")}
              </Button>
            }
          >
            {t("evidence.failed")}
          </EmptyState>
        )}
        {head.data === null && (
          <EmptyState glyph="search" title={t("story.goneTitle")}>
            {t("story.gone")}
          </EmptyState>
        )}
      </Body>
    );
  }
  return (
    <Body>
      <StoryTitle head={head.data} />
      <StoryOpenWork head={head.data} nowMs={nowMs} clinic={clinic} />
      {parts.isPending && <SkeletonRows rows={8} label={t("story.reading")} />}
      {parts.isError && records.length === 0 && (
        <EmptyState glyph="off" title={t("story.failedTitle")} alert>
          {t("evidence.failed")}
        </EmptyState>
      )}
      {records.length > 0 && <StoryGraph head={head.data} records={records} clinic={clinic} />}
      {parts.hasNextPage && (
        <div className="px-6 py-2">
          <Button busy={parts.isFetchingNextPage} onClick={() => parts.fetchNextPage()}>
            {t("story.more", { shown: records.length, all: head.data.counts.records })}
          </Button>
        </div>
      )}
      <div className="legend">
        <StateMark glyph="done" family="done">
          {t("story.legend.done")}
        </StateMark>
        <StateMark glyph="reuse" family="reuse">
          {t("story.legend.reuse")}
        </StateMark>
        <StateMark glyph="wait" family="wait">
          {t("story.legend.wait")}
        </StateMark>
        <StateMark glyph="hold" family="hold">
          {t("story.legend.hold")}
        </StateMark>
        <span className="sp" />
        <span className="dim">{t("story.sentMeans")}</span>
      </div>
    </Body>
  );
}

function Body({ children }: { children: React.ReactNode }) {
  return (
    <main className="main full" id="content">
      <div className="pane storypane">{children}</div>
    </main>
  );
}

function stateOf(head: StoryHead): StateEntry {
  if (head.open.some(isStopped)) return deliveryStates.QUARANTINED;
  if (head.open.length > 0) return deliveryStates.PROCESSING;
  return (head.status ?? 200) >= 400 ? auditResults.REFUSED : deliveryStates.PROCESSED;
}

function StoryTitle({ head }: { head: StoryHead }) {
  const t = useTranslations();
  const locale = useLocale();
  const clinic = useSearchParams().get("clinic");
  const { counts, scope, key } = head;
  const ofFacts = isOfFacts(head.operation);
  const changedFacts = ofFacts && counts.events > 0;
  const operation = head.operation ? operationWords[head.operation] : undefined;
  return (
    <div className="head">
      <div className="crumb">
        <Link href={clinic ? `/operations/stories?clinic=${encodeURIComponent(clinic)}` : "/operations/stories"} prefetch={false}>
          {t("nav.stories")}
        </Link>
        <span className="slash" aria-hidden="true">
          /
        </span>
        <span className="b6">
          {head.appointment ? <Ref>{head.appointment.ref}</Ref> : t(ofFacts ? "delivery.noAppointment" : "story.noVisit")}
        </span>
        <StateWord entry={stateOf(head)} pill />
        <span className="zone2">
          <Ref>{scope.clinicRef}</Ref> · {t("evidence.zone", { zone: scope.zone })}
        </span>
        <span className="sp" />
        <span className="live">
          <i className={head.open.length > 0 ? "ps" : undefined} aria-hidden="true" />
          {head.open.length > 0 ? t("story.unfinished", { count: head.open.length }) : t("story.complete")}
        </span>
        <CopyLink />
        <ExportStory commandId={head.commandId} clinic={clinic ?? undefined} />
      </div>
      <h1 className="big">
        {t.rich(changedFacts ? "story.headlineFact" : "story.headline", {
          calls: counts.calls,
          changes: changedFacts ? counts.events : counts.changes,
          sent: counts.sent,
          b: (chunks) => <b>{chunks}</b>,
        })}
      </h1>
      <dl className="meta">
        <div>
          <dt>{t("story.command")}</dt>
          <dd>
            {operation ? t(operation) : (head.operation ?? t("source.IMPORT"))} <Identity value={head.commandId} head={13} />
            <CopyButton value={head.commandId} of={t("story.command")} />
          </dd>
        </div>
        {key && (
          <>
            <div>
              <dt>Idempotency-Key</dt>
              <dd>
                <Identity value={key.value} />
                <CopyButton value={key.value} of="Idempotency-Key" />
              </dd>
            </div>
            <div>
              <dt>Fingerprint</dt>
              <dd>
                <Identity value={key.fingerprint} />
                <CopyButton value={key.fingerprint} of="Fingerprint" />
              </dd>
            </div>
            <div>
              <dt>{t("story.keptUntil")}</dt>
              <dd>
                <Time at={key.expiresAt} zone={scope.zone} as="dayClock" locale={locale} />
              </dd>
            </div>
          </>
        )}
        <div>
          <dt>{t("story.countedFrom")}</dt>
          <dd>{t("story.storedRecords", { count: counts.records })}</dd>
        </div>
      </dl>
    </div>
  );
}

function CopyLink() {
  const t = useTranslations();
  const [copied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="btn sm"
      onClick={() =>
        navigator.clipboard
          .writeText(window.location.href)
          .then(() => setCopied(true))
          .catch(() => setCopied(false))
      }
    >
      <Icon name={copied ? "check" : "copy"} />
      {t("story.copyLink")}
      <span className="sr" role="status">
        {copied ? t("evidence.copied") : ""}
      </span>
    </button>
  );
}
