"use client";

import clsx from "clsx";
import { useLocale, useTranslations } from "next-intl";
import { type Glyph, Icon } from "@/app/_components/icon";
import { KeyValue, KeyValueList } from "@/app/_components/key-value";
import { Ref } from "@/app/_components/ref";
import { Time } from "@/app/_components/time";
import { useApart } from "@/app/(staff)/operations/stories/_components/use-apart";
import type { ApplyAttemptView, RunEvidence } from "@/server/domain/operations/planning-types";
import { drawnSteps, staleWords, stepOf, stepWords } from "./planning-dictionary";

/** The last apply: how far it got, what it compared, and that it wrote all or nothing. Earlier ones are counted. */
export function ApplySection({ evidence }: { evidence: RunEvidence }) {
  const t = useTranslations();
  const locale = useLocale();
  const apart = useApart();
  const [last] = evidence.attempts;
  if (!last) return null;
  const { row, scope } = evidence;
  return (
    <section className="sec">
      <div className="sech">
        <h3>{t("planning.applyAttempt", { count: last.attempt })}</h3>
        <span className="sp" />
        <span className="r num">{t("planning.rowsWritten", { count: last.written, all: row.moves ?? 0 })}</span>
      </div>
      <Fence attempt={last} />
      <KeyValueList className="wide1">
        <KeyValue term={t("planning.lastAttempt")} wrap>
          {last.staleKind
            ? t(staleWords[last.staleKind])
            : last.sqlstate
              ? t("planning.sqlstate", { code: last.sqlstate })
              : t("planning.allWritten")}
        </KeyValue>
        <KeyValue term={t("planning.appliedBy")} wrap>
          <Ref>{last.actorRef}</Ref>
          <span className="dim num">
            <Time at={last.startedAt} zone={scope.zone} as="daySeconds" locale={locale} />, {apart(last.durationMs)}
            {last.runs > 1 && `, ${t("planning.runs", { count: last.runs })}`}
          </span>
        </KeyValue>
        <KeyValue term={t("planning.sourceVersions")} wrap>
          {last.sourcesCompared === null ? (
            <span className="dim">{t("planning.notReached")}</span>
          ) : last.sourcesBehind ? (
            <>
              {t("planning.sourcesBehind", { count: last.sourcesBehind, all: last.sourcesCompared })}
              {last.behind[0] && (
                <span className="dim">
                  · <Ref>{last.behind[0].ref}</Ref> v{last.behind[0].from} →{" "}
                  {last.behind[0].to === null ? t("planning.gone") : `v${last.behind[0].to}`}
                </span>
              )}
            </>
          ) : (
            t("planning.sourcesUnchanged", { count: last.sourcesCompared })
          )}
        </KeyValue>
        <KeyValue term={t("planning.casFailures")} wrap>
          <span className="num">{last.casFailures}</span>
          {stepOf(last.reached) < stepOf("CAS") && (
            <span className="dim">· {t("planning.stoppedAt", { step: t(stepWords[drawnSteps[stepOf(last.reached)] ?? "CAS"]) })}</span>
          )}
        </KeyValue>
        {last.capacityRef && (
          <KeyValue term={t("planning.capacity")}>
            <Ref>{last.capacityRef}</Ref>
          </KeyValue>
        )}
        {row.runState === "RETRYABLE" && (
          <>
            <KeyValue term={t("planning.lease")} wrap>
              {row.leaseUntil ? <Time at={row.leaseUntil} zone={scope.zone} as="seconds" locale={locale} /> : t("planning.noLease")}
            </KeyValue>
            <KeyValue term={t("planning.nextAttempt")} wrap>
              {row.nextAttemptAt ? (
                <Time at={row.nextAttemptAt} zone={scope.zone} as="seconds" locale={locale} />
              ) : (
                t("planning.noNextAttempt")
              )}
            </KeyValue>
          </>
        )}
      </KeyValueList>
    </section>
  );
}

type Mark = { look: "ok" | "no" | "wait" | "nr"; glyph: Glyph };

/** Done, stopped here, or not reached: each step says it in words too. */
function Fence({ attempt }: { attempt: ApplyAttemptView }) {
  const t = useTranslations();
  const reached = stepOf(attempt.reached);
  const markOf = (i: number): Mark => {
    if (i < reached || attempt.outcome === "APPLIED") return { look: "ok", glyph: "pass" };
    if (i > reached) return { look: "nr", glyph: "na" };
    return attempt.outcome === "RETRYABLE" ? { look: "wait", glyph: "wait" } : { look: "no", glyph: "stale" };
  };
  return (
    <ol className="fence" aria-label={t("planning.steps")}>
      {drawnSteps.map((step, i) => {
        const { look, glyph } = markOf(i);
        return (
          <li key={step} className={clsx(look)}>
            <span className="lb">
              <Icon name={glyph} />
              <span>
                {t(stepWords[step])}
                <span className="sr">, {t(lookWords[look])}</span>
              </span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
const lookWords = {
  ok: "planning.stepDone",
  no: "planning.stepRefused",
  wait: "planning.stepBroken",
  nr: "planning.stepNotReached",
} as const;
