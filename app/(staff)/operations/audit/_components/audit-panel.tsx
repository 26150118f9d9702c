"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useLocale, useTranslations } from "next-intl";
import { useEffect, useRef } from "react";
import { Button, IconButton } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { EmptyState, SkeletonRows } from "@/app/_components/notice";
import { StateWord } from "@/app/_components/state";
import { auditResults } from "@/app/_components/state-dictionary";
import { Time } from "@/app/_components/time";
import { useTRPC } from "@/app/_trpc/client";
import type { AuditEntryView } from "@/server/domain/operations/audit-types";
import { AuditActions } from "./audit-actions";
import { AuditIdentities } from "./audit-identities";
import { AuditPlace } from "./audit-place";
import { useAuditWords } from "./use-audit-words";

type Props = {
  id: string;
  clinic: string | undefined;
  zone: string;
  onClose(): void;
  onStep(by: 1 | -1): void;
  onShowRelated(of: string): void;
};

/** One entry: what came of the act, who with which role, the reason, its place in the chain, and what belongs to the same request. */
export function AuditPanel({ id, clinic, zone, onClose, onStep, onShowRelated }: Props) {
  const t = useTranslations();
  const trpc = useTRPC();
  const heading = useRef<HTMLHeadingElement>(null);
  const isWaiting = (entry: AuditEntryView | null | undefined) => entry?.seq === null;
  const query = useQuery(
    trpc.audit.entry.queryOptions({ clinic, id }, { staleTime: 0, refetchInterval: (q) => (isWaiting(q.state.data) ? 2_000 : false) }),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another entry is another reading
  useEffect(() => heading.current?.focus(), [id]);
  const entry = query.data;
  const story = entry?.commandId ?? (entry?.subjectType === "command" ? entry.subjectId : null);
  return (
    <aside className="ev" aria-labelledby="evidence-heading">
      <div className="evh">
        <IconButton name="left" small className="back" label={t("audit.back")} onClick={onClose} />
        <h2 id="evidence-heading" ref={heading} tabIndex={-1} className="id">
          {entry?.seq ? t("audit.number", { seq: entry.seq }) : t("audit.entry")}
        </h2>
        {entry && <StateWord entry={auditResults[entry.result]} pill />}
        <span className="sp" />
        {story && (
          <Link
            className="sel storylk"
            prefetch={false}
            href={`/operations/stories/${story}${clinic ? `?clinic=${encodeURIComponent(clinic)}` : ""}`}
          >
            <Icon name="story" />
            <span>{t("evidence.story")}</span>
          </Link>
        )}
        <IconButton name="up" small label={t("audit.previous")} onClick={() => onStep(-1)} />
        <IconButton name="down" small label={t("audit.next")} onClick={() => onStep(1)} />
        <IconButton name="x" small label={t("audit.close")} onClick={onClose} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard */}
      <section className="evb" tabIndex={0} aria-label={t("audit.entry")}>
        {entry && <Entry entry={entry} zone={entry.zone ?? zone} />}
        {query.isPending && <SkeletonRows rows={4} label={t("audit.readingEntry")} />}
        {query.isError && !entry && (
          <EmptyState
            glyph="off"
            title={t("audit.failedTitle")}
            alert
            action={
              <Button size="sm" icon="recalc" onClick={() => query.refetch()}>
                {t("action.readAgain")}
              </Button>
            }
          >
            {t("evidence.failed")}
          </EmptyState>
        )}
        {entry === null && (
          <EmptyState glyph="search" title={t("audit.goneTitle")}>
            {t("audit.gone")}
          </EmptyState>
        )}
      </section>
      {entry && <AuditActions entry={entry} onShowRelated={onShowRelated} />}
    </aside>
  );
}

function Entry({ entry, zone }: { entry: AuditEntryView; zone: string }) {
  const t = useTranslations();
  const say = useAuditWords();
  return (
    <>
      <div className="sum">
        {say.sentence(entry)}
        {entry.reasonCode && <small>{say.codeReason(entry)}</small>}
      </div>
      <section className="sec">
        <AuditIdentities entry={entry} zone={zone} />
      </section>
      <section className="sec">
        <div className="sech">
          <h3>{t("audit.reasonGiven")}</h3>
          <span className="sp" />
          {entry.reason && <span className="r">{t("audit.typedBy", { who: entry.actorRef })}</span>}
        </div>
        {entry.reason ? <blockquote className="said">{entry.reason}</blockquote> : <p className="dim">{t("audit.noReasonTyped")}</p>}
      </section>
      <AuditPlace entry={entry} zone={zone} />
      {entry.relatedCount > 1 && <Related entry={entry} zone={zone} />}
      <p className="px-4 py-3 dim text-meta">{t("evidence.zone", { zone })}</p>
    </>
  );
}

function Related({ entry, zone }: { entry: AuditEntryView; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  const say = useAuditWords();
  return (
    <section className="sec">
      <div className="sech">
        <h3>{t("audit.sameRequest")}</h3>
        <span className="sp" />
        <span className="r num">{t("audit.count", { count: entry.relatedCount })}</span>
      </div>
      <ol className="same">
        {entry.related.map((one) => (
          <li key={one.id}>
            <span className="num dim">
              <Time at={one.at} zone={zone} as="seconds" locale={locale} />
            </span>
            <span className={`s-${auditResults[one.result].family} st`}>
              <Icon name={auditResults[one.result].glyph} label={t(auditResults[one.result].label)} />
              {say.act(one.act)}
            </span>
            <span className="dim">{one.id === entry.id ? t("audit.thisEntry") : one.actorRef}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
