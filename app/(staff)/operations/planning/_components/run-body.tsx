"use client";

import { useLocale, useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { KeyValue, KeyValueList } from "@/app/_components/key-value";
import { Ref } from "@/app/_components/ref";
import { formatTime, Time } from "@/app/_components/time";
import type { RunEvidence } from "@/server/domain/operations/planning-types";
import { ApplySection } from "./apply-section";
import { AuditRecord } from "./audit-record";
import { CalculationSection } from "./calculation-section";
import { Dates } from "./dates";
import { FiveQuestions } from "./five-questions";
import { MovesView } from "./moves-view";
import { endedWord, sentenceWords } from "./planning-dictionary";
import type { ChosenMoves } from "./use-chosen-moves";
import { VersionComparison } from "./version-comparison";

type Props = { evidence: RunEvidence; clinic: string | undefined; chosen: ChosenMoves; onOpen(id: string): void };

/** A run as it is stored: sentence, versions before everything else, calculation, apply, questions, audit. */
export function RunBody({ evidence, clinic, chosen, onOpen }: Props) {
  const t = useTranslations();
  const { row, scope } = evidence;
  return (
    <>
      <Summary evidence={evidence} />
      <VersionComparison evidence={evidence} />
      <ApplySection evidence={evidence} />
      <CalculationSection evidence={evidence} />
      <FiveQuestions questions={evidence.questions} />
      <MovesView id={row.id} clinic={clinic} place="inpanel" chosen={chosen} />
      <Around evidence={evidence} onOpen={onOpen} />
      <AuditRecord evidence={evidence} clinic={clinic} />
      <p className="px-4 py-3 dim text-meta">{t("evidence.zone", { zone: scope.zone })}</p>
    </>
  );
}

/** What happened in one sentence, then the scope and the moment. */
function Summary({ evidence }: { evidence: RunEvidence }) {
  const t = useTranslations();
  const locale = useLocale();
  const { row, scope, ended } = evidence;
  const seconds = (at: string) => formatTime(at, scope.zone, "daySeconds", locale);
  const isChanged = row.runState === "CALCULATED" && row.differs.length > 0;
  const reason = endedWord(row.endedReason);
  return (
    <div className="sum">
      {row.state === "DEGRADED_REVIEW"
        ? t("planning.sentence.REVIEW")
        : t(isChanged ? "planning.sentence.CHANGED" : sentenceWords[row.runState])}
      <small>
        <Ref>{scope.tenantGroupRef}</Ref> / <Ref>{scope.clinicRef}</Ref> {scope.clinicName}, <Dates of={row} />, {scope.zone}.{" "}
        {row.runState === "STALE_REJECTED" && t("planning.sum.refused", { at: seconds(row.at) })}
        {ended &&
          reason &&
          row.runState !== "APPLIED" &&
          `${t(reason)} ${t("planning.sum.ended", { at: seconds(ended.at), who: ended.byRef ?? "–" })}`}
      </small>
    </div>
  );
}

/** The runs before and after this one, and who was told since it was applied. */
function Around({ evidence, onOpen }: { evidence: RunEvidence; onOpen(id: string): void }) {
  const t = useTranslations();
  const locale = useLocale();
  const { previous, next, applied, scope } = evidence;
  if (!previous && next.length === 0 && !applied) return null;
  return (
    <section className="sec">
      <KeyValueList className="wide1">
        {applied && (
          <KeyValue term={t("planning.applied")} wrap>
            <Ref>{applied.byRef ?? "–"}</Ref>
            <span className="dim num">
              <Time at={applied.at} zone={scope.zone} as="daySeconds" locale={locale} />
            </span>
          </KeyValue>
        )}
        {applied && (
          <KeyValue term={t("planning.toldTerm")} wrap>
            {t("planning.toldOf", { told: applied.told, open: applied.toTell })}
          </KeyValue>
        )}
        {previous && (
          <KeyValue term={t(previous.as === "PART" ? "planning.partOf" : "planning.takesPlaceOf")}>
            <OtherRun run={previous} onOpen={onOpen} />
          </KeyValue>
        )}
        {next.map((run) => (
          <KeyValue key={run.id} term={t(run.as === "PART" ? "planning.partMade" : "planning.newerRun")}>
            <OtherRun run={run} onOpen={onOpen} />
          </KeyValue>
        ))}
      </KeyValueList>
    </section>
  );
}

function OtherRun({ run, onOpen }: { run: { id: string; ref: string }; onOpen(id: string): void }) {
  return (
    <Button look="link" size="sm" className="h-5 px-0" onClick={() => onOpen(run.id)}>
      <Ref>{run.ref}</Ref>
    </Button>
  );
}
