"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import { SelectField } from "@/app/_components/field";
import type { MessageKey } from "@/app/_i18n/messages";
import type { NextAction, WhyNot } from "@/server/domain/appointments/next-actions";
import { type AppointmentAction, appointmentActions, reasonCodes } from "@/server/domain/appointments/states";
import type { DeskVisit } from "@/server/domain/operations/desk-day";
import type { DeskCommand } from "./pending-command";
import { reasonCodeWords } from "./problem-words";

const actionWords: Record<AppointmentAction, MessageKey> = {
  confirm: "visit.action.confirm",
  "check-in": "visit.action.check-in",
  start: "visit.action.start",
  complete: "visit.action.complete",
  "no-show": "visit.action.no-show",
  release: "visit.action.release",
  reschedule: "visit.action.reschedule",
  cancel: "visit.action.cancel",
  undo: "visit.action.undo",
};
const whyWords: Record<Exclude<WhyNot, "WRONG_STATE">, MessageKey> = {
  RIGHT_MISSING: "visit.why.RIGHT_MISSING",
  NOT_ITS_DAY: "visit.why.NOT_ITS_DAY",
  NOT_STARTED: "visit.why.NOT_STARTED",
  ANOTHER_DAY: "visit.why.ANOTHER_DAY",
};
type Reasoned = keyof typeof reasonCodes;

type ActionsProps = {
  visit: DeskVisit;
  /** The version that the person has seen: what a command names. */
  version: string;
  busy: boolean;
  /** Id of the words why nothing is sent now, such as a change by somebody else. What is chosen so far stays. */
  offBecause: string | undefined;
  onCommand(command: DeskCommand): void;
  onMove(): void;
};

/** What may be done with a visit now, and why the rest may not. */
export function VisitActions({ visit, version, busy, offBecause, onCommand, onMove }: ActionsProps) {
  const t = useTranslations();
  const [asking, setAsking] = useState<Reasoned | null>(null);
  const named = { appointmentId: visit.id, version };
  const decide = (action: AppointmentAction, next: NextAction, reasonCode?: string) => {
    if (!next.allowed) return;
    if (action === "reschedule") return onMove();
    if (next.needsReason && !reasonCode) return setAsking(action as Reasoned);
    if (action === "cancel") onCommand({ operation: "cancel", ...named, change: { reasonCode: reasonCode ?? "" } });
    else onCommand({ operation: "changeStatus", ...named, change: { to: next.to, ...(reasonCode ? { reasonCode } : {}) } });
  };
  const offered = appointmentActions.filter((action) => {
    const next = visit.actions[action];
    return next.allowed || next.why !== "WRONG_STATE";
  });
  return (
    <section className="sec" aria-label={t("visit.actions")}>
      <div className="flex flex-wrap gap-2">
        {offered.map((action) => {
          const next = visit.actions[action];
          const whyId = `why-${action}`;
          return (
            <Button
              key={action}
              size="sm"
              look={action === "cancel" || action === "undo" || action === "release" ? "quiet" : "bordered"}
              busy={busy}
              offBecause={offBecause ?? (next.allowed ? undefined : whyId)}
              onClick={() => decide(action, next)}
            >
              {t(actionWords[action])}
            </Button>
          );
        })}
        {offered.length === 0 && <span className="dim">{t("visit.nothing")}</span>}
      </div>
      {offered.map((action) => {
        const next = visit.actions[action];
        if (next.allowed || next.why === "WRONG_STATE") return null;
        return (
          <p key={action} id={`why-${action}`} className="mt-1 text-meta text-3rd">
            {t("visit.off", { action: t(actionWords[action]), why: t(whyWords[next.why]) })}
          </p>
        );
      })}
      {asking && (
        <ReasonForm
          key={asking}
          action={asking}
          busy={busy}
          offBecause={offBecause}
          onDecide={(reasonCode) => decide(asking, visit.actions[asking], reasonCode)}
          onCancel={() => setAsking(null)}
        />
      )}
    </section>
  );
}

/** A required reason and a second, deliberate click. */
function ReasonForm({
  action,
  busy,
  offBecause,
  onDecide,
  onCancel,
}: {
  action: Reasoned;
  busy: boolean;
  offBecause: string | undefined;
  onDecide(reasonCode: string): void;
  onCancel(): void;
}) {
  const t = useTranslations();
  const [reason, setReason] = useState("");
  const [missing, setMissing] = useState(false);
  return (
    <div className="mt-3 grid gap-2 rounded-2 border border-line-strong p-3">
      <SelectField
        label={t("visit.reason")}
        value={reason}
        autoFocus
        error={missing ? t("visit.reasonMissing") : null}
        onChange={(event) => {
          setReason(event.target.value);
          setMissing(false);
        }}
      >
        <option value="">{t("desk.choose")}</option>
        {reasonCodes[action].map((code) => {
          const word = reasonCodeWords[code];
          return (
            <option key={code} value={code}>
              {word ? t(word) : code}
            </option>
          );
        })}
      </SelectField>
      <div className="flex gap-2">
        <Button size="sm" look="primary" busy={busy} offBecause={offBecause} onClick={() => (reason ? onDecide(reason) : setMissing(true))}>
          {t(actionWords[action])}
        </Button>
        <Button size="sm" look="quiet" onClick={onCancel}>
          {t("visit.keep")}
        </Button>
      </div>
    </div>
  );
}
