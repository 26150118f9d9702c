"use client";

import { useLocale } from "next-intl";
import { formatDates } from "@/app/_components/time";

/** The dates of a run, both included. */
export function Dates({ of: { fromDate, untilDate } }: { of: { fromDate: string; untilDate: string } }) {
  const locale = useLocale();
  return <>{formatDates(fromDate, untilDate, locale)}</>;
}
