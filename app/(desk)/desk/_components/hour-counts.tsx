"use client";

import { useLocale, useTranslations } from "next-intl";
import { formatDate, formatExactTime, zonedParts } from "@/app/_components/time";
import type { DeskBlock } from "@/server/domain/operations/desk-day";
import type { WeekDay, WeekVisit } from "@/server/domain/operations/desk-week";

const minuteMs = 60_000;
const hourMs = 3_600_000;
/** No target is lower (WCAG 2.5.8). */
const heightMin = 24;

type Props = { day: WeekDay; visits: WeekVisit[]; zone: string; most: number; y(ms: number): number; onDay(date: string): void };

/** How many visits begin in each hour that has any, by the hour's instant on the clinic's clock. */
export function countByHour(visits: readonly WeekVisit[], zone: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const visit of visits) {
    const ms = Date.parse(visit.startsAt);
    const hour = ms - (zonedParts(ms, zone).minute * minuteMs + (ms % minuteMs));
    counts.set(hour, (counts.get(hour) ?? 0) + 1);
  }
  return counts;
}

/** How many visits begin in each hour: the fuller, the longer the bar, against the fullest hour of the week; the number says it too. Opens the day. */
export function HourCounts({ day, visits, zone, most, y, onDay }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  return [...countByHour(visits, zone)].map(([hour, count]) => {
    const at = formatExactTime(hour, zone, "clock", locale);
    const open = openPart(hour, day.blocks);
    return (
      <button
        key={hour}
        type="button"
        className="hcn"
        style={{ top: y(open.from) + 1, height: Math.max(heightMin, y(open.until) - y(open.from) - 2) }}
        aria-label={t("desk.hourCount", { day: formatDate(day.date, locale), at, count })}
        onClick={() => onDay(day.date)}
      >
        <i style={{ width: `${(count / most) * 100}%` }} aria-hidden="true" />
        <span>{count}</span>
      </button>
    );
  });
}

/** An hour without what the clinic is closed of it at its begin or its end: that stays in sight, with its label. */
function openPart(hour: number, blocks: readonly DeskBlock[]): { from: number; until: number } {
  const part = { from: hour, until: hour + hourMs };
  for (const block of blocks) {
    if (block.columnId !== null) continue;
    const [from, until] = [Date.parse(block.from), Date.parse(block.until)];
    if (from <= part.from && part.from < until && until < part.until) part.from = until;
    else if (part.from < from && from < part.until && part.until <= until) part.until = from;
  }
  return part;
}
