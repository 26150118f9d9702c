"use client";

import { useLocale, useTranslations } from "next-intl";
import { dateIn, formatExactTime } from "@/app/_components/time";
import type { Blocker } from "@/server/domain/clinics/types";
import type { NamedBlocker } from "@/server/domain/operations/check-start";
import { groupBlockers } from "./group-blockers";
import { blockerWords } from "./problem-words";

const shownMax = 6;

/** Who or what is in the way, by name, and from when to when. One line for a visit that holds a doctor and a room. */
export function BlockerList({ blockers, zone }: { blockers: readonly (Blocker & Partial<Pick<NamedBlocker, "visit">>)[]; zone: string }) {
  const t = useTranslations();
  const locale = useLocale();
  const groups = groupBlockers(blockers);
  const range = ({ from, until }: { from: string; until: string }) => {
    const style = dateIn(from, zone) === dateIn(until, zone) ? "clock" : "dayClock";
    return from === until ? "" : `, ${formatExactTime(from, zone, style, locale)}–${formatExactTime(until, zone, style, locale)}`;
  };
  return (
    <dl>
      {groups.slice(0, shownMax).map(({ key, subjects, blocker }) => {
        const known = blockerWords[blocker.code];
        const word = known ? t(known) : blocker.code;
        const label = blocker.label?.toLowerCase() === word.toLowerCase() ? null : blocker.label;
        const what = blocker.visit ? [blocker.visit.patient, blocker.visit.treatment] : [word, label, blocker.appointmentRef];
        return (
          <div key={key} className="contents">
            <dt>{subjects.join(", ")}</dt>
            <dd>{`${what.filter(Boolean).join(", ")}${range(blocker)}`}</dd>
          </div>
        );
      })}
      {groups.length > shownMax && (
        <div className="contents">
          <dt />
          <dd>{t("desk.moreBlockers", { count: groups.length - shownMax })}</dd>
        </div>
      )}
    </dl>
  );
}
