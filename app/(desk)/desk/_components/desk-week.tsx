"use client";

import clsx from "clsx";
import { useLocale, useTranslations } from "next-intl";
import { memo, useMemo } from "react";
import { Button } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { EmptyState, SkeletonRows } from "@/app/_components/notice";
import { appointmentStates } from "@/app/_components/state-dictionary";
import { formatDate, formatOffset, formatTime, repeatedReading, zonedParts } from "@/app/_components/time";
import type { AppointmentState } from "@/server/domain/appointments/states";
import type { DeskWeek as Week, WeekDay, WeekVisit } from "@/server/domain/operations/desk-week";
import { CalendarBlocks } from "./calendar-blocks";
import { clockChange } from "./clock-change";
import { DayCounts } from "./day-counts";
import { countByHour, HourCounts } from "./hour-counts";
import { placeVisits } from "./place-visits";
import type { WeekReading } from "./use-desk-week";
import { looks } from "./visit-block";

const minuteMs = 60_000;
const pxPerHour = 56;
type Props = {
  reading: WeekReading;
  doctorId: string | null;
  state: AppointmentState | null;
  onDay(date: string): void;
  onOpen(date: string, id: string): void;
};

type CountsProps = Pick<Props, "reading" | "doctorId" | "state"> & { onFilter(state: AppointmentState | null): void };

/** The states of the week in numbers, each a filter: of all doctors, or of the chosen one. */
export function WeekCounts({ reading, doctorId, state, onFilter }: CountsProps) {
  const t = useTranslations();
  const { week } = reading;
  const visits = useMemo(() => {
    const doctor = week?.doctors.find((one) => one.id === doctorId)?.id ?? null;
    return week?.days.flatMap((day) => visitsOf(day, doctor, null)) ?? [];
  }, [week, doctorId]);
  if (!week) return null;
  return <DayCounts label={t("desk.weekCounts")} visits={visits} state={state} onFilter={onFilter} load={null} zone={week.clinic.zone} />;
}

/** Monday to Sunday as columns: one doctor's visits as blocks, or how many visits all doctors have in each hour. */
export function DeskWeek({ reading, doctorId, state, onDay, onOpen }: Props) {
  const t = useTranslations();
  if (reading.isPending) return <SkeletonRows rows={10} label={t("desk.readingWeek")} />;
  if (!reading.week)
    return (
      <EmptyState
        glyph="off"
        title={t("desk.weekFailed")}
        alert
        action={
          <Button size="sm" icon="recalc" onClick={() => reading.readAgain()}>
            {t("action.readAgain")}
          </Button>
        }
      >
        {t("delivery.failed")}
      </EmptyState>
    );
  return <WeekGrid week={reading.week} doctorId={doctorId} state={state} onDay={onDay} onOpen={onOpen} />;
}

function WeekGrid({ week, doctorId, state, onDay, onOpen }: Omit<Props, "reading"> & { week: Week }) {
  const t = useTranslations();
  const locale = useLocale();
  const { zone } = week.clinic;
  const doctor = week.doctors.find((one) => one.id === doctorId) ?? null;
  const [from, until] = useMemo(() => axisOf(week), [week]);
  const most = useMemo(
    () => Math.max(1, ...week.days.flatMap((day) => [...countByHour(visitsOf(day, doctorId, state), zone).values()])),
    [week, doctorId, state, zone],
  );
  const hours = Array.from({ length: Math.ceil((until - from) / 60) }, (_, i) => from + i * 60);
  return (
    <div className="wk">
      <div className="ch">
        {week.days.map((day) => {
          const shown = visitsOf(day, doctor?.id ?? null, state);
          const waiting = shown.filter((visit) => visit.status === "PENDING_RESCHEDULE").length;
          return (
            <div key={day.date} className={clsx(day.date === week.today && "td")}>
              <button
                type="button"
                className="n"
                aria-label={t("desk.openDay", { day: formatDate(day.date, locale) })}
                onClick={() => onDay(day.date)}
              >
                {formatDate(day.date, locale)}
              </button>
              <span className="s">
                {t("desk.columnVisits", { count: shown.length })}
                {waiting > 0 && ` · ${t("desk.needNewTime", { count: waiting })}`}
              </span>
            </div>
          );
        })}
      </div>
      <div className="cal" style={{ height: ((until - from) / 60) * pxPerHour + 1 }}>
        {hours.map((minute) => (
          <div key={minute} aria-hidden="true">
            <div className="hr" style={{ top: ((minute - from) / 60) * pxPerHour }} />
            <div className="tl" style={{ top: ((minute - from) / 60) * pxPerHour }}>
              {`${String(Math.floor(minute / 60) % 24).padStart(2, "0")}:00`}
            </div>
          </div>
        ))}
        <div className="lanes">
          {week.days.map((day) => (
            <DayLane
              key={day.date}
              day={day}
              zone={zone}
              from={from}
              doctorId={doctor?.id ?? null}
              state={state}
              isToday={day.date === week.today}
              most={most}
              onDay={onDay}
              onOpen={onOpen}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

const visitsOf = (day: WeekDay, doctorId: string | null, state: AppointmentState | null): WeekVisit[] =>
  day.visits.filter((visit) => (!doctorId || visit.doctorId === doctorId) && (!state || visit.status === state));

/** Minutes after midnight at which a day's drawing begins, by the clinic's clock. */
function beginOf(day: WeekDay, zone: string): number {
  const parts = zonedParts(day.from, zone);
  return parts.hour * 60 + parts.minute;
}

/** The hours that hold every day of the week, minutes after midnight; after 24:00 for a night that ends on the next day. */
function axisOf(week: Week): [from: number, until: number] {
  const begins = week.days.map((day) => beginOf(day, week.clinic.zone));
  const ends = week.days.map((day, i) => (begins[i] ?? 0) + (Date.parse(day.until) - Date.parse(day.from)) / minuteMs);
  return [Math.floor(Math.min(...begins) / 60) * 60, Math.ceil(Math.max(...ends) / 60) * 60];
}

type LaneProps = {
  day: WeekDay;
  zone: string;
  from: number;
  doctorId: string | null;
  state: AppointmentState | null;
  isToday: boolean;
  /** Visits of the fullest hour of the week. */
  most: number;
  onDay(date: string): void;
  onOpen(date: string, id: string): void;
};

const DayLane = memo(function DayLane({ day, zone, from, doctorId, state, isToday, most, onDay, onOpen }: LaneProps) {
  const t = useTranslations();
  const locale = useLocale();
  const dayFrom = Date.parse(day.from);
  const begin = beginOf(day, zone);
  // Real time from the day's first hour on; a change of clocks is a line, as in the day view.
  const y = (ms: number) => (((ms - dayFrom) / minuteMs + begin - from) / 60) * pxPerHour;
  const change = clockChange(dayFrom, Date.parse(day.until), zone);
  const shown = visitsOf(day, doctorId, state);
  return (
    <section className={clsx("lane", isToday && "td")} aria-label={t("desk.visitsOf", { day: formatDate(day.date, locale) })}>
      <CalendarBlocks blocks={day.blocks} zone={zone} columnId={null} y={y} />
      {doctorId && <CalendarBlocks blocks={day.blocks} zone={zone} columnId={doctorId} y={y} />}
      {change && (
        <div className="rep" style={{ top: y(change.atMs) }}>
          <b>UTC{formatOffset(change.afterMinutes)}</b>
        </div>
      )}
      {doctorId ? (
        <WeekBlocks day={day} visits={shown} zone={zone} y={y} onOpen={onOpen} />
      ) : (
        <HourCounts day={day} visits={shown} zone={zone} most={most} y={y} onDay={onDay} />
      )}
    </section>
  );
});

type PartProps = { day: WeekDay; visits: WeekVisit[]; zone: string; y(ms: number): number };

function WeekBlocks({ day, visits, zone, y, onOpen }: PartProps & { onOpen(date: string, id: string): void }) {
  const t = useTranslations();
  const locale = useLocale();
  const placed = placeVisits(
    visits.map((visit) => {
      const from = Date.parse(visit.startsAt);
      return { visit, from, until: Math.max(Date.parse(visit.endsAt), from + (24 / pxPerHour) * 60 * minuteMs) };
    }),
  );
  return placed.map(({ item: { visit, from, until }, lane, lanes }) => {
    const entry = appointmentStates[visit.status];
    const offset = repeatedReading(visit.startsAt, zone)?.offset;
    return (
      <button
        key={visit.id}
        type="button"
        data-visit={visit.id}
        className={clsx("ap low", looks[visit.status])}
        style={{
          top: y(from) + 1,
          height: Math.max(24, y(until) - y(from) - 1),
          left: `calc(3px + ${(lane / lanes) * 100}%)`,
          width: `calc(${100 / lanes}% - 6px)`,
        }}
        onClick={() => onOpen(day.date, visit.id)}
      >
        <span className="a">
          <Icon name={entry.glyph} />
          <b>{formatTime(visit.startsAt, zone, "clock", locale)}</b>
          {offset && <span className="stx">{offset}</span>}
          <span className="b">{visit.patient.name ?? visit.patient.ref}</span>
        </span>
        <span className="sr">
          , {t(entry.label)}, {visit.treatment}, {visit.ref}
        </span>
      </button>
    );
  });
}
