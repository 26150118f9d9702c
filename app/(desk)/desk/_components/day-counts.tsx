"use client";

import { useLocale, useTranslations } from "next-intl";
import { Button } from "@/app/_components/button";
import { Icon } from "@/app/_components/icon";
import { appointmentStates } from "@/app/_components/state-dictionary";
import { formatTime } from "@/app/_components/time";
import type { DailyLoad } from "@/server/domain/appointments/daily-load-query";
import type { AppointmentState } from "@/server/domain/appointments/states";
import type { DeskVisit } from "@/server/domain/operations/desk-day";

const order: AppointmentState[] = ["COMPLETED", "IN_PROGRESS", "CHECKED_IN", "CONFIRMED", "REQUESTED", "NO_SHOW"];
const classes: Partial<Record<AppointmentState, string>> = { COMPLETED: "dn", IN_PROGRESS: "rm" };

type Props = {
  /** Whose numbers these are, for screen readers. */
  label: string;
  /** Of the chosen doctor, in every state. */
  visits: readonly Pick<DeskVisit, "id" | "status">[];
  state: AppointmentState | null;
  onFilter(state: AppointmentState | null): void;
  /** Opens the next visit that needs a new time; left out where no visit can be opened: then it is a filter too. */
  onNext?: (id: string) => void;
  onPrint?: () => void;
  /** What daily-load-v1 has counted of this day from events; null: nothing yet. */
  load: DailyLoad | null;
  zone: string;
};

/**
 * A day or week in numbers, each a filter; states without a visit are left out unless they filter. Visits that need a new time are offered as the next thing
 * to do.
 */
export function DayCounts({ label, visits, state, onFilter, onNext, onPrint, load, zone }: Props) {
  const t = useTranslations();
  const locale = useLocale();
  const of = (one: AppointmentState) => visits.filter((visit) => visit.status === one);
  const needNewTime = of("PENDING_RESCHEDULE");
  return (
    <section className="cnt" aria-label={label}>
      {order
        .filter((one) => of(one).length > 0 || one === state)
        .map((one) => (
          <button
            key={one}
            type="button"
            className={classes[one]}
            aria-pressed={one === state}
            onClick={() => onFilter(one === state ? null : one)}
          >
            <Icon name={appointmentStates[one].glyph} />
            <b>{of(one).length}</b> {t(appointmentStates[one].label).toLowerCase()}
          </button>
        ))}
      {visits.length === 0 && <span>{t("desk.noVisits")}</span>}
      <span className="sp" />
      {load && <span className="ld">{t("desk.load", { ...load, time: formatTime(load.asOf, zone, "clock", locale) })}</span>}
      {needNewTime[0] && (
        <button
          type="button"
          className="mv flex items-center gap-1.5"
          aria-pressed={onNext ? undefined : state === "PENDING_RESCHEDULE"}
          onClick={() =>
            onNext ? onNext(needNewTime[0]?.id ?? "") : onFilter(state === "PENDING_RESCHEDULE" ? null : "PENDING_RESCHEDULE")
          }
        >
          <Icon name="warn" />
          {t("desk.needNewTime", { count: needNewTime.length })}
          {onNext && <Icon name="right" />}
        </button>
      )}
      {onPrint && (
        <Button look="link" size="sm" className="prt" onClick={onPrint}>
          {t("desk.print")}
        </Button>
      )}
    </section>
  );
}
