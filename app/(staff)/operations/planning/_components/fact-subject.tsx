"use client";

import { useLocale } from "next-intl";
import { Ref } from "@/app/_components/ref";
import { formatPeriod, formatTime } from "@/app/_components/time";
import type { FactChangeView } from "@/server/domain/operations/planning-types";

/** Of whom or what, and for which time. */
export function FactSubject({ change, zone }: { change: FactChangeView; zone: string }) {
  const locale = useLocale();
  const { from, until, subjectRef } = change;
  return (
    <>
      {subjectRef && <Ref>{subjectRef}</Ref>}
      {from && until && `${subjectRef ? ", " : ""}${formatPeriod(from, until, zone, locale)}`}
      {from && !until && `${subjectRef ? ", " : ""}${formatTime(from, zone, "dayClock", locale)}`}
    </>
  );
}
