"use client";

import { useLocale, useTranslations } from "next-intl";
import { useMemo } from "react";
import { Button, IconButton } from "@/app/_components/button";
import { DateInput } from "@/app/_components/date-input";
import { KeyHint } from "@/app/_components/key-hint";
import { LiveIndicator, type LiveState } from "@/app/_components/live-indicator";
import { addDays, epochMs, formatDate, formatLongDate } from "@/app/_components/time";
import { useServerNow } from "@/app/_components/use-now";
import type { DeskDay } from "@/server/domain/operations/desk-day";
import { clockChange } from "./clock-change";
import { dateOf } from "./desk-url";

export type DeskView = "day" | "week";
/** From when what is shown is, and whether it is still being read. */
type Read = {
  live: LiveState;
  /** undefined: not read yet */
  asOf: string | undefined;
  /** undefined while another day or week is on its way */
  readAtMs: number | undefined;
};
type Props = {
  day: DeskDay;
  view: DeskView;
  doctorId: string | null;
  /** The reading of what is shown, the day or the week. */
  read: Read;
  booking: boolean;
  onView(view: DeskView): void;
  onDate(date: string | null): void;
  onDoctor(id: string | null): void;
  onBook(): void;
};

/** Which day or week of which doctor is shown, how fresh it is, and the one main action. */
export function DeskHead({ day, view, doctorId, read, booking, onView, onDate, onDoctor, onBook }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const step = view === "week" ? 7 : 1;
  const monday = mondayOf(day.date);
  const doctors = day.columns.filter((column) => column.kind === "DOCTOR");
  const isCurrent = view === "week" ? monday === mondayOf(day.today) : day.date === day.today;
  return (
    <div className="phead desk">
      <h1>
        {view === "week"
          ? t("desk.weekOf", { from: formatDate(monday, locale), until: formatDate(addDays(monday, 6), locale) })
          : formatDate(day.date, locale)}
      </h1>
      <span className="ponly">{day.clinic.name}</span>
      <span className="d">
        <IconButton
          name="left"
          small
          label={t(view === "week" ? "desk.previousWeek" : "desk.previousDay")}
          onClick={() => onDate(addDays(day.date, -step))}
        />
        <Button size="sm" aria-pressed={isCurrent} onClick={() => onDate(null)}>
          {t("desk.todayButton")}
        </Button>
        <IconButton
          name="right"
          small
          label={t(view === "week" ? "desk.nextWeek" : "desk.nextDay")}
          onClick={() => onDate(addDays(day.date, step))}
        />
        <DateInput
          className="jump"
          words={formatLongDate(day.date, locale)}
          aria-label={t("desk.jump")}
          value={day.date}
          onChange={(event) => dateOf(event.target.value) && onDate(event.target.value)}
        />
      </span>
      <fieldset className="vsw" aria-label={t("desk.view")}>
        {(["day", "week"] as const).map((one) => (
          <button key={one} type="button" aria-pressed={view === one} onClick={() => onView(one)}>
            {t(one === "day" ? "desk.dayView" : "desk.weekView")}
          </button>
        ))}
      </fieldset>
      <select
        className="jump doc"
        aria-label={t("desk.filterDoctor")}
        value={doctors.some((one) => one.id === doctorId) ? (doctorId ?? "") : ""}
        onChange={(event) => onDoctor(event.target.value || null)}
      >
        <option value="">{t("desk.allDoctors")}</option>
        {doctors.map((doctor) => (
          <option key={doctor.id} value={doctor.id}>
            {doctor.name}
          </option>
        ))}
      </select>
      <span className="zone">
        <ZoneWords day={day} />
      </span>
      <span className="sub" />
      <span className="ends">
        <LiveAge read={read} zone={day.clinic.zone} />
        <Button size="sm" look={booking ? "bordered" : "primary"} icon="plus" aria-expanded={booking} data-new="" onClick={onBook}>
          {t("desk.new")}
          <KeyHint keys="N" />
        </Button>
      </span>
    </div>
  );
}

export const mondayOf = (date: string): string => addDays(date, -((new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7));

/** The zone of every time shown; on a day whose clocks change, when they do. */
function ZoneWords({ day }: { day: DeskDay }) {
  const t = useTranslations();
  const { zone } = day.clinic;
  const change = useMemo(() => clockChange(Date.parse(day.from), Date.parse(day.until), zone), [day.from, day.until, zone]);
  if (!change) return t("evidence.zone", { zone });
  return t(change.afterMinutes < change.beforeMinutes ? "desk.zoneBack" : "desk.zoneForward", { zone, at: change.from });
}

/** Counts the seconds by itself, so that nothing else is drawn each second. */
function LiveAge({ read: { live, asOf, readAtMs }, zone }: { read: Read; zone: string }) {
  const lastMs = asOf === undefined ? undefined : epochMs(asOf);
  const nowMs = useServerNow(lastMs, readAtMs);
  return <LiveIndicator state={live} lastMs={lastMs} nowMs={readAtMs === undefined ? undefined : nowMs} zone={zone} />;
}
