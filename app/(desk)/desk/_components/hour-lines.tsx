"use client";

import clsx from "clsx";
import { useLocale } from "next-intl";
import { memo } from "react";
import { dateIn, formatDate, formatOffset, formatTime, zonedParts } from "@/app/_components/time";

const hourMs = 3_600_000;

/** A line and a label for each full hour of the clinic's clock; the offset where the clock shows an hour twice; the date at midnight. */
export const HourLines = memo(function HourLines({
  from,
  until,
  zone,
  y,
}: {
  from: number;
  until: number;
  zone: string;
  y(ms: number): number;
}) {
  const locale = useLocale();
  const marks: { ms: number; label: string | null; offset: string | null; date: string | null }[] = [];
  const changes = zonedParts(until, zone).offsetMinutes !== zonedParts(from, zone).offsetMinutes;
  for (let ms = from; ms <= until; ms += hourMs / 2) {
    const parts = zonedParts(ms, zone);
    const full = parts.minute === 0;
    const showsOffset = changes && full && [1, 2, 3].includes(parts.hour);
    marks.push({
      ms,
      label: full ? formatTime(ms, zone, "clock", locale) : null,
      offset: showsOffset ? formatOffset(parts.offsetMinutes) : null,
      date: full && parts.hour === 0 && ms > from ? formatDate(dateIn(ms, zone), locale) : null,
    });
  }
  return (
    <>
      {marks.map((mark) => (
        <div key={mark.ms} aria-hidden="true">
          <div className={mark.label ? "hr" : "hh"} style={{ top: y(mark.ms) }} />
          {mark.label && (
            <div className={clsx("tl", mark.offset && "dst")} style={{ top: y(mark.ms) }}>
              {mark.label}
              {mark.offset && <small>{mark.offset}</small>}
            </div>
          )}
          {mark.date && (
            <div className="dayl" style={{ top: y(mark.ms) }}>
              <b>{mark.date}</b>
            </div>
          )}
        </div>
      ))}
    </>
  );
});
