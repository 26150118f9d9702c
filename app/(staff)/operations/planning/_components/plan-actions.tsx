"use client";

import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { Button } from "@/app/_components/button";
import type { Glyph } from "@/app/_components/icon";
import { Notice } from "@/app/_components/notice";
import type { OfferedRunEvidence } from "@/server/domain/operations/planning-types";
import type { PlanningAction } from "@/server/domain/planning/next-actions";
import { ConfirmAct } from "./confirm-act";
import { buttonsOf, isOffInReview } from "./plan-buttons";
import { actionWords, problemWords } from "./planning-dictionary";
import { RunProgressBar } from "./run-progress-bar";
import type { ChosenMoves } from "./use-chosen-moves";
import { type PlanAnswer, usePlanAct } from "./use-plan-act";
import { WhyActs } from "./why-acts";

type Props = {
  evidence: OfferedRunEvidence;
  /** False while the evidence is too old to decide on. */
  live: boolean;
  wanted: PlanningAction | null;
  chosen: ChosenMoves;
  onStarted(): void;
  onReadAgain(): void;
  onOpen(id: string): void;
  onDone(action: PlanningAction, answer: PlanAnswer): void;
};

const glyphs: Partial<Record<PlanningAction, Glyph>> = { recalculate: "recalc", apply: "down" };

/** Buttons of a run, drawn from what the server allows. Nothing is done by one of them alone: each opens its confirm, one at a time, in this place. */
export function PlanActions({ evidence, live, wanted, chosen, onStarted, onReadAgain, onOpen, onDone }: Props) {
  const t = useTranslations();
  const { row, actions } = evidence;
  const [confirming, setConfirming] = useState<PlanningAction | null>(null);
  const [refused, setRefused] = useState<PlanAnswer | null>(null);
  const act = usePlanAct((answer, { action }) => {
    if (answer.status < 300) {
      setConfirming(null);
      chosen.off();
      setRefused(null);
      onDone(action, answer);
      return;
    }
    setRefused(answer);
    setConfirming(null);
    onReadAgain();
  });
  const shown = buttonsOf(evidence);
  const isReview = row.state === "DEGRADED_REVIEW";
  const mayStart = (action: PlanningAction) => live && !isOffInReview(isReview, action) && actions[action].allowed && act.phase === "idle";
  const start = (action: PlanningAction) => {
    if (!mayStart(action)) return;
    setRefused(null);
    setConfirming(action);
    if (action === "applyPart") chosen.on();
    else chosen.off();
  };
  const leave = () => {
    setConfirming(null);
    chosen.off();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a wish is followed once; a new reading of the row repeats nothing
  useEffect(() => {
    if (!wanted) return;
    if (shown.includes(wanted)) start(wanted);
    onStarted();
  }, [wanted]);
  // what is no longer offered is not confirmed either: a fact may have changed while the confirm stood there
  const isGone = confirming !== null && act.phase === "idle" && !shown.includes(confirming);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each change
  useEffect(() => {
    if (isGone) leave();
  }, [isGone]);
  const [newer] = evidence.next;
  if (shown.length === 0 && !newer && row.runState !== "APPLIED") return null;
  const isTri = shown.includes("applyPart"); // three short words share a line
  return (
    <div className="act">
      {(row.runState === "REQUESTED" || row.runState === "CALCULATING") && <RunProgressBar row={row} asOf={evidence.asOf} />}
      {refused && (
        <Notice glyph="stale" family="hold" alert>
          {refusalWords(refused)}
        </Notice>
      )}
      <WhyActs evidence={evidence} shown={shown} live={live} />
      {shown.length > 0 && (
        <div className={isTri ? "tri" : "rowb"}>
          {shown.map((action, i) => {
            const isOff = !live || isOffInReview(isReview, action) || !actions[action].allowed;
            return (
              <Button
                key={action}
                size="lg"
                look={!isTri && i === 0 && !isOff && confirming === null ? "primary" : "bordered"}
                className={!isTri && i === 0 ? "grow" : undefined}
                icon={isOff ? "lock" : glyphs[action]}
                offBecause={isOff ? "why-off" : undefined}
                aria-expanded={confirming === action}
                aria-controls={confirming === action ? "confirm" : undefined}
                onClick={() => (confirming === action ? leave() : start(action))}
              >
                {t(actionWords[action])}
              </Button>
            );
          })}
        </div>
      )}
      {newer && shown.length === 0 && (
        <div className="rowb">
          <Button size="lg" className="grow" onClick={() => onOpen(newer.id)}>
            {t("next.openNewerRun")}
          </Button>
        </div>
      )}
      {confirming && (
        <ConfirmAct
          key={confirming}
          action={confirming}
          evidence={evidence}
          chosen={chosen}
          live={live}
          phase={act.phase}
          onConfirm={() =>
            act.send({
              clinicId: row.clinicRef,
              runId: row.id.split(".")[1] ?? "",
              action: confirming,
              ...(confirming === "applyPart" ? { part: [...chosen.ids] } : {}),
            })
          }
          onRetry={act.retry}
          onBack={leave}
        />
      )}
    </div>
  );

  function refusalWords({ status, body: { code } }: PlanAnswer): string {
    const word = code ? problemWords[code] : undefined;
    return word ? t(word) : t("problem.other", { code: code ?? String(status) });
  }
}
