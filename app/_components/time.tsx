// The only place of app/ that turns an instant into text (time.test.ts fails on any other). Names of days and months are our own tables:
// Node and the browser carry different ICU data, and "Tue 18 Aug" against "Tue, 18 Aug" would be a hydration error.
import type { Locale } from "@/app/_i18n/locales";

export type Instant = string | number | Date;
export type ZonedParts = {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  weekday: number; // 0 = Sunday
  offsetMinutes: number;
};

const weekdays = { en: ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"], ko: ["일", "월", "화", "수", "목", "금", "토"] };
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const formatters = new Map<string, Intl.DateTimeFormat>();
const two = (n: number) => String(n).padStart(2, "0");

function formatter(zone: string): Intl.DateTimeFormat {
  let found = formatters.get(zone);
  if (!found) {
    const numeric = "numeric";
    found = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      calendar: "iso8601",
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
    formatters.set(zone, found);
  }
  return found;
}

/** Milliseconds since the epoch. PostgreSQL's text ("2026-08-18 14:06:22.123456+00") is read too. */
export function epochMs(instant: Instant): number {
  if (typeof instant === "number") return instant;
  if (instant instanceof Date) return instant.getTime();
  return Date.parse(instant.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00"));
}

/** Wall clock of a named zone at an instant. */
export function zonedParts(instant: Instant, zone: string): ZonedParts {
  const ms = epochMs(instant);
  const at: Record<string, number> = {};
  for (const part of formatter(zone).formatToParts(ms)) if (part.type !== "literal") at[part.type] = Number(part.value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = at;
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second);
  const offsetMinutes = Math.round((asUtc - Math.floor(ms / 1000) * 1000) / 60_000);
  return { year, month, day, hour, minute, second, weekday: new Date(asUtc).getUTCDay(), offsetMinutes };
}

/** "+02:00" of an offset in minutes. */
export function formatOffset(offsetMinutes: number): string {
  const minutes = Math.abs(offsetMinutes);
  return `${offsetMinutes < 0 ? "−" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Styles that show a clock without its offset. */
type ClockStyle = "clock" | "seconds" | "millis" | "weekdayClock" | "dayClock" | "daySeconds";
export type TimeStyle = ClockStyle | "shortDay" | "day" | "full";

function dayName(p: { year: number; month: number; day: number; weekday: number }, locale: Locale, withYear = false): string {
  if (locale === "ko") return `${withYear ? `${p.year}년 ` : ""}${p.month}월 ${p.day}일 (${weekdays.ko[p.weekday]})`;
  return `${weekdays.en[p.weekday]} ${p.day} ${months[p.month - 1]}${withYear ? ` ${p.year}` : ""}`;
}

/** An instant as text in a named zone, 24-hour clock. "full" carries the year, the seconds and the offset. */
export function formatTime(instant: Instant, zone: string, style: TimeStyle, locale: Locale): string {
  const p = zonedParts(instant, zone);
  const clock = `${two(p.hour)}:${two(p.minute)}`;
  switch (style) {
    case "clock":
      return clock;
    case "seconds":
      return `${clock}:${two(p.second)}`;
    case "millis":
      return `${clock}:${two(p.second)}.${String(((epochMs(instant) % 1000) + 1000) % 1000).padStart(3, "0")}`;
    case "shortDay":
      return locale === "ko" ? `${p.day}일 (${weekdays.ko[p.weekday]})` : `${weekdays.en[p.weekday]} ${p.day}`;
    case "weekdayClock":
      return locale === "ko" ? `(${weekdays.ko[p.weekday]}) ${clock}` : `${weekdays.en[p.weekday]} ${clock}`;
    case "day":
      return dayName(p, locale);
    case "dayClock":
      return `${dayName(p, locale)} ${clock}`;
    case "daySeconds":
      return `${dayName(p, locale)} ${clock}:${two(p.second)}`;
    case "full":
      return `${dayName(p, locale, true)} ${clock}:${two(p.second)} ${formatOffset(p.offsetMinutes)}`;
  }
}

/** Which of the two readings of a repeated clock time this moment is, with its offset; null for every ordinary time. */
export function repeatedReading(instant: Instant, zone: string): { nth: 1 | 2; offset: string } | null {
  const ms = epochMs(instant);
  const own = zonedParts(ms, zone).offsetMinutes;
  for (const aroundMs of [3 * 3_600_000, -3 * 3_600_000]) {
    const other = zonedParts(ms + aroundMs, zone).offsetMinutes;
    // where the clock shows the same under the other offset: is that offset in force there?
    if (other !== own && zonedParts(ms + (own - other) * 60_000, zone).offsetMinutes === other)
      return { nth: own > other ? 1 : 2, offset: formatOffset(own) };
  }
  return null;
}

/** The same as text that cannot be mistaken: a reading that the clock shows twice has its offset behind it, "02:20 (+01:00)". */
export function formatExactTime(instant: Instant, zone: string, style: ClockStyle, locale: Locale): string {
  const text = formatTime(instant, zone, style, locale);
  const reading = repeatedReading(instant, zone);
  return reading ? `${text} (${reading.offset})` : text;
}

/** Calendar date of an instant in a zone, "2026-08-18". */
export function dateIn(instant: Instant, zone: string): string {
  const p = zonedParts(instant, zone);
  return `${String(p.year).padStart(4, "0")}-${two(p.month)}-${two(p.day)}`;
}

/** A calendar date (no zone) as text. */
export function formatDate(date: string, locale: Locale): string {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return dayName({ year, month, day, weekday: new Date(Date.UTC(year, month - 1, day)).getUTCDay() }, locale);
}

/** A calendar date far from today: with its year, and no day of the week. */
export function formatLongDate(date: string, locale: Locale): string {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return locale === "ko" ? `${year}년 ${month}월 ${day}일` : `${day} ${months[month - 1]} ${year}`;
}

/** "19–21 Aug" of two calendar dates: what they share is said once, and no day of the week. */
export function formatDates(from: string, until: string, locale: Locale): string {
  const [first, last] = [from, until].map((date) => date.split("-").map(Number) as [number, number, number]) as [
    [number, number, number],
    [number, number, number],
  ];
  const inFull = ([, month, day]: [number, number, number]) => (locale === "ko" ? `${month}월 ${day}일` : `${day} ${months[month - 1]}`);
  if (from === until) return inFull(first);
  if (from.slice(0, 7) !== until.slice(0, 7)) return `${inFull(first)}–${inFull(last)}`;
  return locale === "ko" ? `${inFull(first).slice(0, -1)}–${last[2]}일` : `${first[2]}–${inFull(last)}`;
}

/** "Mon 09:00–12:30" of a time in a zone; both days are said when it ends on another one. */
export function formatPeriod(from: Instant, until: Instant, zone: string, locale: Locale): string {
  if (dateIn(from, zone) === dateIn(until, zone))
    return `${formatTime(from, zone, "weekdayClock", locale)}–${formatTime(until, zone, "clock", locale)}`;
  return `${formatTime(from, zone, "dayClock", locale)}–${formatTime(until, zone, "dayClock", locale)}`;
}

/** The calendar date `days` later. */
export function addDays(date: string, days: number): string {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1, day + days)).toISOString().slice(0, 10);
}

/** The later of two calendar dates. */
export const laterDate = (a: string, b: string): string => (a > b ? a : b);

export type Distance = { unit: "seconds" | "minutes" | "hours" | "days"; count: number };

/** Distance without a direction: seconds under a minute, minutes under an hour, then hours, then days. */
export function distance(milliseconds: number): Distance {
  const seconds = Math.max(0, Math.round(Math.abs(milliseconds) / 1000));
  if (seconds < 60) return { unit: "seconds", count: seconds };
  if (seconds < 3600) return { unit: "minutes", count: Math.floor(seconds / 60) };
  if (seconds < 48 * 3600) return { unit: "hours", count: Math.floor(seconds / 3600) };
  return { unit: "days", count: Math.floor(seconds / 86_400) };
}

/** `<time>` with the exact instant for machines and the zone in its title. */
export function Time({
  at,
  zone,
  as,
  locale,
  className,
}: {
  at: Instant;
  zone: string;
  as: TimeStyle;
  locale: Locale;
  className?: string;
}) {
  return (
    <time className={className} dateTime={new Date(epochMs(at)).toISOString()} title={`${formatTime(at, zone, "full", locale)} ${zone}`}>
      {as === "full" || as === "day" || as === "shortDay" ? formatTime(at, zone, as, locale) : formatExactTime(at, zone, as, locale)}
    </time>
  );
}
