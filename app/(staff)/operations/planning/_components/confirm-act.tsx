"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, type KeyboardEvent, useEffect, useRef } from "react";
import { Button } from "@/app/_components/button";
import { Identity, Ref } from "@/app/_components/ref";
import type { MessageKey } from "@/app/_i18n/messages";
import type { RunEvidence } from "@/server/domain/operations/planning-types";
import type { PlanningAction } from "@/server/domain/planning/next-actions";
import { Dates } from "./dates";
import { drawnSteps, stepWords } from "./planning-dictionary";
import type { ChosenMoves } from "./use-chosen-moves";
import type { SendPhase } from "./use-plan-act";

type Props = {
  action: PlanningAction;
  evidence: RunEvidence;
  chosen: ChosenMoves;
  /** False while the evidence is too old to decide on. */
  live: boolean;
  phase: SendPhase;
  onConfirm(): void;
  onRetry(): void;
  onBack(): void;
};

const titles: Record<PlanningAction, MessageKey> = {
  apply: "planning.confirm.apply",
  applyPart: "planning.confirm.applyPart",
  discard: "planning.confirm.discard",
  recalculate: "planning.confirm.recalculate",
  cancel: "planning.confirm.cancel",
};
/** What will happen, said before it is confirmed. */
const texts: Record<PlanningAction, MessageKey> = {
  apply: "planning.confirmText.apply",
  applyPart: "planning.confirmText.applyPart",
  discard: "planning.confirmText.discard",
  recalculate: "planning.confirmText.recalculate",
  cancel: "planning.confirmText.cancel",
};
const buttons: Record<PlanningAction, MessageKey> = {
  apply: "planning.confirmButton.apply",
  applyPart: "planning.confirmButton.applyPart",
  discard: "planning.confirmButton.discard",
  recalculate: "planning.confirmButton.recalculate",
  cancel: "planning.confirmButton.cancel",
};

/** The inline confirm: scope, versions, moves and steps; its main button has the focus, Esc leaves it and only then the panel. */
export function ConfirmAct({ action, evidence, chosen, live, phase, onConfirm, onRetry, onBack }: Props) {
  const t = useTranslations();
  const main = useRef<HTMLFormElement>(null);
  useEffect(() => main.current?.querySelector<HTMLElement>("button.primary")?.focus(), []);
  const { row, scope } = evidence;
  const moves = action === "applyPart" ? chosen.ids.size : (row.moves ?? 0);
  const isEmptyPart = action === "applyPart" && (moves === 0 || moves >= (row.moves ?? 0));
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || phase !== "idle") return;
    event.preventDefault();
    event.stopPropagation();
    onBack();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (phase === "idle" && live && !isEmptyPart) onConfirm();
  };
  return (
    <form ref={main} className="cfm" id="confirm" aria-labelledby="confirm-title" onSubmit={submit} onKeyDown={leave}>
      <h3 id="confirm-title">{t(titles[action], { count: moves, ref: row.ref })}</h3>
      {action === "apply" || action === "applyPart" ? (
        <dl>
          <dt>{t("planning.scope")}</dt>
          <dd>
            <Ref>{scope.tenantGroupRef}</Ref> / <Ref>{scope.clinicRef}</Ref>, <Dates of={row} />
          </dd>
          <dt>{t("planning.versions")}</dt>
          <dd>
            {row.versions && <Identity value={row.versions.calculated} head={6} tail={4} />}{" "}
            {t("planning.andSources", { count: row.sources ?? 0 })}
          </dd>
          <dt>{t("planning.moveTerm")}</dt>
          <dd>
            {action === "apply"
              ? t("planning.movesWill", { count: moves, stay: (row.sources ?? 0) - moves })
              : t("planning.partOfMoves", { count: moves, all: row.moves ?? 0 })}
          </dd>
        </dl>
      ) : (
        <p className="why">{t(texts[action], { ref: row.ref })}</p>
      )}
      {action === "applyPart" && <p className="why">{t(texts.applyPart, { ref: row.ref })}</p>}
      {action === "apply" && (
        <ol className="steps5" aria-label={t("planning.stepsNone")}>
          {drawnSteps.map((step) => (
            <li key={step}>{t(stepWords[step])}</li>
          ))}
        </ol>
      )}
      {phase === "unanswered" && (
        <p className="why" role="alert">
          <b>{t("retry.title")}</b> {t("act.unanswered")}
        </p>
      )}
      <div className="rowb">
        {phase === "unanswered" ? (
          <Button look="primary" size="lg" className="grow" onClick={onRetry}>
            {t("retry.now")}
          </Button>
        ) : (
          <Button
            look="primary"
            size="lg"
            className="grow"
            type="submit"
            icon={action === "recalculate" ? "recalc" : "check"}
            busy={phase === "sending"}
            offBecause={!live ? "why-off" : isEmptyPart ? "part-hint" : undefined}
          >
            {t(buttons[action], { count: moves })}
          </Button>
        )}
        <Button size="lg" busy={phase === "sending"} onClick={onBack}>
          {t("planning.back")}
        </Button>
      </div>
      {isEmptyPart && (
        <p className="why" id="part-hint">
          {t("planning.choosePart")}
        </p>
      )}
    </form>
  );
}
