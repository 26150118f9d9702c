"use client";

import Link from "next/link";
import { useLocale, useTranslations } from "next-intl";
import { Icon } from "@/app/_components/icon";
import { auditResults } from "@/app/_components/state-dictionary";
import { Time } from "@/app/_components/time";
import { useAuditWords } from "@/app/(staff)/operations/audit/_components/use-audit-words";
import type { RunEvidence } from "@/server/domain/operations/planning-types";

/** What the audit holds about the run, newest first, and the way to all of it. */
export function AuditRecord({ evidence, clinic }: { evidence: RunEvidence; clinic: string | undefined }) {
  const t = useTranslations();
  const locale = useLocale();
  const say = useAuditWords();
  const { audit, scope, row } = evidence;
  const query = new URLSearchParams({ ...(clinic ? { clinic } : {}), of: row.id.split(".")[1] ?? "" });
  return (
    <section className="sec">
      <div className="sech">
        <h3>{t("planning.audit")}</h3>
        <span className="sp" />
        <Link className="r" prefetch={false} href={`/operations/audit?${query}`}>
          {t("planning.openAudit")}
        </Link>
      </div>
      {audit.length === 0 ? (
        <p className="dim">{t("planning.noAudit")}</p>
      ) : (
        <ol className="same">
          {audit.map((entry) => (
            <li key={entry.id}>
              <span className="num dim">
                <Time at={entry.at} zone={scope.zone} as="seconds" locale={locale} />
              </span>
              <span className={`s-${auditResults[entry.result].family} st`}>
                <Icon name={auditResults[entry.result].glyph} label={t(auditResults[entry.result].label)} />
                {say.act(entry.act)}
              </span>
              <span className="dim">{entry.actorRef}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
