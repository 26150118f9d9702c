"use client";

import { useLocale, useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { Button } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { Menu, MenuItem } from "@/app/_components/menu";
import { Notice } from "@/app/_components/notice";
import { epochMs, formatTime } from "@/app/_components/time";
import { useServerNow } from "@/app/_components/use-now";
import type { DeliveryAction } from "@/server/domain/inbox/next-actions";
import type { DeliveryWork } from "@/server/domain/operations/delivery-work";
import { ActForm } from "./act-form";
import { actionWords, actProblemWords, whyValues, whyWords } from "./act-words";
import { offersOf } from "./offers";
import { type Act, type ActAnswer, useAct } from "./use-act";

type Props = {
  id: string;
  clinicRef: string;
  zone: string;
  state: string;
  work: DeliveryWork;
  asOf: string;
  readAtMs: number;
  /** False while the evidence is too old to decide on. */
  live: boolean;
  /** The action that the row's button or a key asked for. */
  wanted: DeliveryAction | null;
  /** It was followed, as far as it may be done. */
  onStarted(): void;
  onReadAgain(): void;
  /** The server has done it. */
  onDone(action: Act["action"], answer: ActAnswer): void;
  /** Opens the checks of a replay, among the evidence. */
  onReviewReplay(): void;
};

/** What may be done with the row, and why the rest is off. One form at a time stands here, and what became of an act is said in the same place. */
export function ActArea({
  id,
  clinicRef,
  zone,
  state,
  work,
  asOf,
  readAtMs,
  live,
  wanted,
  onStarted,
  onReadAgain,
  onDone,
  onReviewReplay,
}: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const [form, setForm] = useState<Act["action"] | null>(null);
  const [refused, setRefused] = useState<ActAnswer | null>(null);
  const nowMs = useServerNow(epochMs(asOf), readAtMs);
  const act = useAct((answer, { action }) => {
    if (answer.status === 200) {
      setForm(null);
      setRefused(null);
      onDone(action, answer);
      return;
    }
    setRefused(answer);
    if (answer.body.code === "row-stale" || answer.body.code === "action-not-allowed") {
      setForm(null);
      onReadAgain();
    }
  });
  const { shown, more } = offersOf(id, state, work);
  const off = !live ? t("act.off.old") : refused?.body.code === "row-stale" ? "" : null;

  const start = (action: DeliveryAction) => {
    if (off !== null || !work.actions[action].allowed || act.phase !== "idle") return;
    if (action === "reviewReplay") onReviewReplay();
    else if (action === "assign") send("assign", {});
    else if (action !== "readResult") setForm(action);
  };
  const send = (action: Act["action"], change: Act["change"]) => {
    if (work.version === null || work.taskVersion === null) return;
    setRefused(null);
    act.send({ clinicId: clinicRef, row: { id, version: work.version, taskVersion: work.taskVersion }, action, change });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another row has no form and no answer yet
  useEffect(() => {
    setRefused(null);
    setForm(null);
  }, [id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a wish is followed once; a new reading of the row repeats nothing
  useEffect(() => {
    if (!wanted) return;
    start(wanted);
    onStarted();
  }, [id, wanted]);

  if (shown.length === 0 && more.length === 0 && !refused) return null;
  return (
    <div className="act">
      {refused && (
        <div id="why-off">
          <Notice glyph="stale" family="hold" alert>
            {refusalWords(refused)}{" "}
            {refused.body.code === "row-stale" && (
              <Button
                look="link"
                size="sm"
                onClick={() => {
                  setRefused(null);
                  onReadAgain();
                }}
              >
                {t("action.readAgain")}
              </Button>
            )}
          </Notice>
        </div>
      )}
      {form && form !== "assign" ? (
        <ActForm
          key={form}
          action={form}
          clinicRef={clinicRef}
          zone={zone}
          nowMs={nowMs}
          followers={work.followers}
          phase={act.phase}
          onSend={(change) => send(form, change)}
          onRetry={act.retry}
          onCancel={() => setForm(null)}
        />
      ) : (
        <>
          {off && !refused ? (
            <p className="why" id="why-off">
              <Icon name="lock" />
              <span>{off}</span>
            </p>
          ) : refused ? null : (
            <WhyOff shown={shown} work={work} zone={zone} />
          )}
          <div className="rowb">
            {shown.map((action, i) => (
              <Button
                key={action}
                size="lg"
                look={action === primary() ? "primary" : "bordered"}
                className={i === 0 ? "grow" : undefined}
                icon={work.actions[action].allowed && off === null ? undefined : "lock"}
                offBecause={off !== null || !work.actions[action].allowed ? "why-off" : undefined}
                busy={action === "assign" && act.phase === "sending"}
                onClick={() => start(action)}
              >
                {t(actionWords[action])}
              </Button>
            ))}
            {more.length > 0 && (
              <Menu
                label={t("act.more")}
                align="end"
                trigger={
                  <Button size="lg" aria-label={t("act.more")} offBecause={off !== null ? "why-off" : undefined}>
                    {t("act.more")}
                    <Icon name="down" />
                  </Button>
                }
              >
                {more.map((action) => (
                  <MenuItem key={action} onSelect={() => start(action)}>
                    {t(actionWords[action])}
                  </MenuItem>
                ))}
              </Menu>
            )}
          </div>
          {act.phase === "unanswered" && (
            <p className="why" role="alert">
              <b>{t("retry.title")}</b> {t("act.unanswered")}{" "}
              <Button look="link" size="sm" onClick={act.retry}>
                {t("retry.now")}
              </Button>
            </p>
          )}
        </>
      )}
    </div>
  );

  /** The first that may be done is the one to do. */
  function primary(): DeliveryAction | undefined {
    return shown.find((action) => action !== "assign" && work.actions[action].allowed);
  }

  function refusalWords(answer: ActAnswer): string {
    const { code = "", changedAt } = answer.body;
    if (code === "row-stale" && typeof changedAt === "string")
      return t("act.problem.rowStaleAt", { at: formatTime(changedAt, zone, "seconds", locale) });
    const word = actProblemWords[code];
    return word ? t(word) : t("problem.other", { code });
  }
}

/** The reason beside every button that is off. */
function WhyOff({ shown, work, zone }: { shown: DeliveryAction[]; work: DeliveryWork; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  const barred = shown.flatMap((action) => {
    const decision = work.actions[action];
    return decision.allowed ? [] : [{ action, decision }];
  });
  if (barred.length === 0) return null;
  return (
    <p className="why" id="why-off">
      <Icon name="lock" />
      <span>
        {barred.map(({ action, decision }) => (
          <span key={action} className="block">
            <b>{t("act.offTitle", { action: t(actionWords[action]) })}</b>{" "}
            {t(whyWords[decision.why], whyValues(decision, decision.until ? formatTime(decision.until, zone, "seconds", locale) : ""))}
          </span>
        ))}
      </span>
    </p>
  );
}
