"use client";

import { useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { ReadAgain } from "@/app/_components/list/list-body";
import { LiveIndicator, type LiveState } from "@/app/_components/live-indicator";
import { NotRead } from "@/app/_components/not-read";
import { EmptyState, Notice, SkeletonRows } from "@/app/_components/notice";
import { Part } from "./part";
import { at, zone } from "./samples";

const states: LiveState[] = ["live", "paused", "reconnecting", "offline"];
const nothing = () => {};

/** What a screen says about its own reading, and what it says when there is nothing to show. */
export function FeedbackStates() {
  const t = useTranslations();
  return (
    <>
      <Part name="LiveIndicator">
        <div className="grid gap-1">
          <LiveIndicator state="live" zone={zone} />
          {states.map((state) => (
            <LiveIndicator key={state} state={state} lastMs={at} nowMs={at + 2000} zone={zone} />
          ))}
          <LiveIndicator state="paused" lastMs={at} nowMs={at} zone={zone}>
            {" "}
            <button type="button" className="lnk">
              {t("delivery.newRows", { count: 3 })}
            </button>
          </LiveIndicator>
        </div>
      </Part>
      <Part name="EmptyState, SkeletonRows">
        <div className="box">
          <EmptyState glyph="check" title={t("delivery.emptyTitle")}>
            {t("delivery.emptyWaiting", { count: 34, time: t("time.in.seconds", { count: 42 }) })}
          </EmptyState>
        </div>
        <div className="box">
          <EmptyState glyph="filter" title={t("delivery.noMatchTitle")} action={<Button size="sm">{t("delivery.clear")}</Button>}>
            {t("delivery.noMatch")}
          </EmptyState>
        </div>
        <div className="box">
          <EmptyState glyph="lock" title={t("error.scopeTitle", { clinic: "CL-204" })}>
            {t("error.scope")}
          </EmptyState>
        </div>
        <div className="box">
          <EmptyState glyph="off" title={t("delivery.failedTitle")} action={<ReadAgain onClick={nothing} />}>
            {t("delivery.failed")}
          </EmptyState>
        </div>
        <div className="box">
          <SkeletonRows rows={3} label={t("delivery.reading")} />
        </div>
      </Part>
      <Part name="Notice, NotRead">
        <Notice glyph="fail" family="hold" title={t("problem.slotTaken")}>
          {t("problem.nothingChanged")}
        </Notice>
        <Notice glyph="wait" family="wait">
          {t("retry.toldToWait")}
        </Notice>
        <Notice glyph="done" family="done">
          {t("desk.done.book")}
          <Button size="sm" look="link" className="ml-2">
            {t("visit.undoNow")}
          </Button>
        </Notice>
        <Notice glyph="off" family="plan" title={t("retry.title")}>
          {t("person.lost")}
        </Notice>
        <Notice glyph="lock">{t("facts.hoursOff")}</Notice>
        <NotRead at={at} zone={zone} onRead={nothing} />
      </Part>
    </>
  );
}
